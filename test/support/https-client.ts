import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { ErrorBody } from '../../src/api/errors.ts'

/** Just enough of an HTTPS client to see every byte and header of an answer, with a CA of its own. */

export type Target = { baseUrl: string; key: string; ca: string | undefined }

export type Reply = {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json<T>(): T
  /** The error object; throws where the answer is none. */
  error(): ErrorBody['error']
}

export type SendOptions = {
  method?: string
  /** null: without a key. */
  key?: string | null
  headers?: Record<string, string>
  body?: string | Buffer
  signal?: AbortSignal
}

export type HttpsClient = {
  target: Target
  send(path: string, options?: SendOptions): Promise<Reply>
  /** POST /v1/chat/completions: `fields` over a plain valid request; `say` is its one message. */
  chat(fields?: object, options?: SendOptions): Promise<Reply>
  /** The answer as soon as its head is there. */
  open(path: string, options?: SendOptions): Promise<IncomingMessage>
  close(): void
}

const MESSAGES = [{ role: 'user', content: 'Hello' }]

export function httpsClient(target: Target): HttpsClient {
  const agent = new Agent({ keepAlive: true, ca: target.ca })
  const open = async (path: string, options: SendOptions = {}): Promise<IncomingMessage> => {
    const key = options.key === undefined ? target.key : options.key
    const body = options.body
    const request = httpsRequest(new URL(path, target.baseUrl), {
      agent,
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...options.headers,
      },
    })
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return response
  }
  const send = async (path: string, options: SendOptions = {}): Promise<Reply> => readReply(await open(path, options))
  return {
    target,
    open,
    send,
    chat: (fields = {}, options = {}) =>
      send('/v1/chat/completions', {
        body: JSON.stringify({ model: 'Model', messages: MESSAGES, ...fields }),
        ...options,
      }),
    close: () => agent.destroy(),
  }
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: <T>() => JSON.parse(text) as T,
    error: () => {
      const body = JSON.parse(text) as ErrorBody
      if (typeof body.error.code !== 'number') throw new Error(`not an error object: ${text}`)
      return body.error
    },
  }
}

/** Messages of one user. */
export function say(content: string): { messages: { role: string; content: string }[] } {
  return { messages: [{ role: 'user', content }] }
}

/** The `data:` of each event; comments are left out. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6))
}
