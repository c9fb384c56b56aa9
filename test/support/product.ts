/** The whole product as a user starts it: `./unmask serve` on a data folder of its own, ended by its own handle. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const LAUNCHER = join(ROOT, 'unmask')

export type Ready = { baseUrl: string; caFile: string; consoleUrl: string; pid: number }

export type Answer = { status: number; headers: Record<string, string>; text: string; json<T>(): T }

export type Product = {
  folder: string
  child: ChildProcess
  ready: Ready
  ca: string
  key: string
  /** From spawn to `ready.json`, ms. */
  startMs: number
  output(): string
  ask(
    path: string,
    options?: { method?: string; key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer>
  /** Streams a chat completion; calls back with each `data:` text and the ms since the request was sent. */
  stream(body: object, each: (data: string, ms: number) => void, key?: string): Promise<number>
  /** SIGTERM, waits for the end, removes the folder unless told to keep it. */
  stop(keep?: boolean): Promise<number | null>
  kill(): Promise<void>
}

export type StartOptions = { folder?: string; args?: string[]; env?: Record<string, string>; timeoutMs?: number }

export async function startProduct(options: StartOptions = {}): Promise<Product> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'unmask-'))
  const startedAt = performance.now()
  const child = spawn(LAUNCHER, ['serve', '--data', folder, '--port', '0', ...(options.args ?? [])], {
    cwd: folder,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (bytes) => (output += String(bytes)))
  child.stderr?.on('data', (bytes) => (output += String(bytes)))
  const ready = await waitForReady(join(folder, 'ready.json'), child, options.timeoutMs ?? 30_000, () => output)
  const startMs = performance.now() - startedAt
  const ca = readFileSync(ready.caFile, 'utf8')
  const key = readFileSync(join(folder, 'first-key'), 'utf8').trim()
  return product({ folder, child, ready, ca, key, startMs, output: () => output })
}

/** `ready.json` is written last, so its being there with this child's pid is the whole condition. */
async function waitForReady(
  path: string,
  child: ChildProcess,
  timeoutMs: number,
  output: () => string,
): Promise<Ready> {
  const until = performance.now() + timeoutMs
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}:\n${output()}`)
    try {
      const ready = JSON.parse(readFileSync(path, 'utf8')) as Ready
      if (ready.pid === child.pid) return ready
    } catch {
      // not there yet
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  child.kill('SIGKILL')
  throw new Error(`serve was not ready within ${timeoutMs} ms:\n${output()}`)
}

type Parts = Pick<Product, 'folder' | 'child' | 'ready' | 'ca' | 'key' | 'startMs' | 'output'>

function product(parts: Parts): Product {
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (parts.child.exitCode === null && parts.child.signalCode === null) {
      const exited = once(parts.child, 'exit')
      parts.child.kill(signal)
      await exited
    }
    return parts.child.exitCode
  }
  return {
    ...parts,
    ask: (path, options = {}) => ask(parts, path, options),
    stream: (body, each, key) => stream(parts, { ...body, stream: true }, each, key ?? parts.key),
    kill: async () => void (await end('SIGKILL')),
    stop: async (keep = false) => {
      const code = await end('SIGTERM')
      if (!keep) rmSync(parts.folder, { recursive: true, force: true })
      return code
    },
  }
}

function target(parts: Parts, path: string, method: string, headers: Record<string, string>): RequestOptions {
  const url = new URL(path, parts.ready.baseUrl)
  return { host: url.hostname, port: url.port, path: url.pathname + url.search, method, headers, ca: parts.ca }
}

type Ask = NonNullable<Parameters<Product['ask']>[1]>

async function ask(parts: Parts, path: string, options: Ask): Promise<Answer> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body)
  const headers = {
    authorization: `Bearer ${options.key ?? parts.key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  }
  const sent = httpsRequest(target(parts, path, options.method ?? (body === undefined ? 'GET' : 'POST'), headers))
  sent.end(body)
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const bytes of response) text += String(bytes)
  return { status: response.statusCode, headers: response.headers, text, json: <T>() => JSON.parse(text) as T }
}

async function stream(
  parts: Parts,
  body: object,
  each: (data: string, ms: number) => void,
  key: string,
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const sent = httpsRequest(target(parts, '/v1/chat/completions', 'POST', headers))
  sent.end(JSON.stringify(body))
  const [response] = await once(sent, 'response')
  response.setEncoding('utf8')
  let rest = ''
  for await (const text of response) {
    rest += text
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) each(event.slice(6), performance.now() - startedAt)
  }
  return response.statusCode
}
