import { ChatOpenAI } from '@langchain/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAI as LlamaOpenAI } from '@llamaindex/openai'
import { APICallError, generateText, RetryError, streamText } from 'ai'
import OpenAI7 from 'openai'
import OpenAI6 from 'openai-6'
import type { Target } from '../support/https-client.ts'

export type Ask = { prompt: string; maxTokens?: number; temperature?: number; model?: string; signal?: AbortSignal }

/** One client library, reduced to what all of them can do. */
export type Client = {
  plain(ask: Ask): Promise<string>
  streamed(ask: Ask): AsyncIterable<string>
}

export type Adapter = {
  name: string
  /** A library may try so many times more after a failure. */
  connect(target: Target, retries: number): Client
  /** HTTP status of what it threw; undefined where it tells none. */
  statusOf(error: unknown): number | undefined
  /** False: it does not know the header x-should-retry. */
  minds: boolean
  /** False: it has no way to end a stream that runs; the server then makes it to its end. */
  leaves: boolean
}

type OpenAIClass = typeof OpenAI7 | typeof OpenAI6

function openai(name: string, Class: OpenAIClass): Adapter {
  return {
    name,
    minds: true,
    leaves: true,
    statusOf: statusIn,
    connect({ baseUrl, key }, retries) {
      const client = new Class({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: retries }) as OpenAI7
      return {
        async plain(ask) {
          const reply = await client.chat.completions.create(body(ask), options(ask))
          return reply.choices[0]?.message.content ?? ''
        },
        async *streamed(ask) {
          const stream = await client.chat.completions.create({ ...body(ask), stream: true }, options(ask))
          for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? ''
        },
      }
    },
  }
}

const langchain: Adapter = {
  name: '@langchain/openai',
  minds: true,
  leaves: true,
  statusOf: statusIn,
  connect({ baseUrl, key }, retries) {
    const model = (ask: Ask) =>
      new ChatOpenAI({
        model: ask.model ?? 'Model',
        apiKey: key,
        maxTokens: ask.maxTokens ?? 12,
        maxRetries: retries,
        configuration: { baseURL: `${baseUrl}/v1` },
        ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
      })
    return {
      plain: async (ask) => (await model(ask).invoke(ask.prompt, options(ask))).text,
      async *streamed(ask) {
        for await (const chunk of await model(ask).stream(ask.prompt, options(ask))) yield chunk.text
      },
    }
  },
}

const aiSdk: Adapter = {
  name: 'ai with @ai-sdk/openai-compatible',
  minds: false,
  leaves: true,
  statusOf(error) {
    const last: unknown = RetryError.isInstance(error) ? error.lastError : error
    return APICallError.isInstance(last) ? last.statusCode : statusIn(last)
  },
  connect({ baseUrl, key }, retries) {
    const provider = createOpenAICompatible({
      name: 'unmask',
      baseURL: `${baseUrl}/v1`,
      apiKey: key,
      includeUsage: true,
    })
    const settings = (ask: Ask) => ({
      model: provider(ask.model ?? 'Model'),
      prompt: ask.prompt,
      maxOutputTokens: ask.maxTokens ?? 12,
      maxRetries: retries,
      ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
      ...(ask.signal === undefined ? {} : { abortSignal: ask.signal }),
    })
    return {
      plain: async (ask) => (await generateText(settings(ask))).text,
      async *streamed(ask) {
        // Leaving the loop does not end the call in this library: only its signal does.
        const left = new AbortController()
        const abortSignal = AbortSignal.any([left.signal, ...(ask.signal === undefined ? [] : [ask.signal])])
        try {
          for await (const part of streamText({ ...settings(ask), abortSignal, onError: () => undefined }).fullStream) {
            if (part.type === 'text-delta') yield part.text
            if (part.type === 'error') throw part.error
            if (part.type === 'abort') throw new DOMException('aborted', 'AbortError')
          }
        } finally {
          left.abort()
        }
      },
    }
  },
}

const llamaindex: Adapter = {
  name: '@llamaindex/openai',
  minds: true,
  leaves: false,
  statusOf: statusIn,
  connect({ baseUrl, key }, retries) {
    const model = (ask: Ask) =>
      new LlamaOpenAI({
        model: ask.model ?? 'Model',
        apiKey: key,
        baseURL: `${baseUrl}/v1`,
        maxTokens: ask.maxTokens ?? 12,
        maxRetries: retries,
        ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
      })
    return {
      async plain(ask) {
        const { message } = await model(ask).chat({ messages: messages(ask) })
        return typeof message.content === 'string' ? message.content : ''
      },
      async *streamed(ask) {
        for await (const chunk of await model(ask).chat({ messages: messages(ask), stream: true })) {
          ask.signal?.throwIfAborted()
          yield chunk.delta
        }
      },
    }
  },
}

function body(ask: Ask) {
  return {
    model: ask.model ?? 'Model',
    messages: messages(ask),
    max_tokens: ask.maxTokens ?? 12,
    ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
  }
}

function messages(ask: Ask) {
  return [{ role: 'user' as const, content: ask.prompt }]
}

function options(ask: Ask) {
  return ask.signal === undefined ? {} : { signal: ask.signal }
}

function statusIn(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('status' in error && typeof error.status === 'number') return error.status
  return 'cause' in error ? statusIn(error.cause) : undefined
}

export const ADAPTERS: readonly Adapter[] = [
  openai('openai 7', OpenAI7),
  openai('openai 6', OpenAI6),
  langchain,
  aiSdk,
  llamaindex,
]
