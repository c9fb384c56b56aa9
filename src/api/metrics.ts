import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Engine, EngineUsage } from '../engine/messages.ts'
import type { Search } from '../search/search.ts'
import type { Call } from './call.ts'

const SECONDS = [0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30, 60, 120, 240]
const STEPS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]

/** Numbers for Prometheus. Labels are routes of the table, bound models and codes: never what a caller can make up. */
export type Metrics = {
  begun(): void
  ended(call: Call, status: number, seconds: number): void
  reply(model: string, usage: EngineUsage): void
  searched(seconds: number, partial: boolean): void
  render(): Promise<string>
  readonly contentType: string
}

export function createMetrics(engine: Engine, search: Search): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  engineGauges(engine, registers)
  searchGauges(search, registers)
  const http = httpMetrics(registers)
  const replies = replyMetrics(registers)
  const searches = searchMetrics(registers)
  return {
    begun: () => http.inflight.inc(),
    ended(call, status, seconds) {
      http.inflight.dec()
      http.requests.inc({ route: call.route, method: call.method, status: String(status) })
      http.duration.observe({ route: call.route }, seconds)
      if (call.facts.error !== undefined) http.rejected.inc({ reason: call.facts.error })
    },
    reply(model, usage) {
      replies.prompt.inc({ model }, usage.promptTokens)
      replies.useful.inc({ model }, usage.completionTokens)
      replies.steps.observe({ model }, usage.steps)
      replies.firstToken.observe({ model }, usage.firstTokenMs / 1000)
      replies.queue.observe({ model }, usage.queueMs / 1000)
    },
    searched(seconds, partial) {
      searches.duration.observe(seconds)
      if (partial) searches.partial.inc()
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

function httpMetrics(registers: Registry[]) {
  return {
    inflight: new Gauge({ name: 'unmask_http_requests_inflight', help: 'Requests being answered.', registers }),
    requests: new Counter({
      name: 'unmask_http_requests_total',
      help: 'Requests answered; status 499: the client left.',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    duration: new Histogram({
      name: 'unmask_http_request_duration_seconds',
      help: 'From the request line to the end of the answer.',
      labelNames: ['route'],
      buckets: SECONDS,
      registers,
    }),
    rejected: new Counter({
      name: 'unmask_http_errors_total',
      help: 'Requests refused or failed, by code of the error table.',
      labelNames: ['reason'],
      registers,
    }),
  }
}

function replyMetrics(registers: Registry[]) {
  const labelNames = ['model'] as const
  return {
    prompt: new Counter({ name: 'unmask_prompt_tokens_total', help: 'Tokens of prompts.', labelNames, registers }),
    useful: new Counter({
      name: 'unmask_useful_tokens_total',
      help: 'Tokens of returned text: padding and end of turn are not counted.',
      labelNames,
      registers,
    }),
    steps: new Histogram({
      name: 'unmask_reply_steps',
      help: 'Forwards a reply took part in.',
      labelNames,
      buckets: STEPS,
      registers,
    }),
    firstToken: new Histogram({
      name: 'unmask_first_token_seconds',
      help: 'From admission to the first text.',
      labelNames,
      buckets: SECONDS,
      registers,
    }),
    queue: new Histogram({
      name: 'unmask_queue_seconds',
      help: 'Time spent waiting for a place in the batch.',
      labelNames,
      buckets: SECONDS,
      registers,
    }),
  }
}

function searchMetrics(registers: Registry[]) {
  return {
    duration: new Histogram({
      name: 'unmask_search_seconds',
      help: 'Time of a search in the index.',
      buckets: SECONDS,
      registers,
    }),
    partial: new Counter({
      name: 'unmask_searches_partial_total',
      help: 'Searches that their deadline cut short.',
      registers,
    }),
  }
}

function searchGauges(search: Search, registers: Registry[]): void {
  for (const kind of ['pages', 'images', 'videos'] as const) {
    const made: Gauge = new Gauge({
      name: `unmask_search_${kind}`,
      help: `Indexed ${kind}.`,
      registers,
      collect: () => made.set(search.stats()[kind]),
    })
  }
}

/** Read from the engine when they are asked for. */
function engineGauges(engine: Engine, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(read()) })
  }
  gauge('unmask_engine_ready', '1 while the engine answers.', () => (engine.health().state === 'ready' ? 1 : 0))
  gauge('unmask_engine_running', 'Replies being made.', () => engine.health().running)
  gauge('unmask_engine_queued', 'Requests that wait for a place.', () => engine.health().queued)
  gauge('unmask_engine_queue_max', 'Places in the queue.', () => engine.health().queueMax)
  gauge('unmask_engine_restarts', 'Times the engine process was started anew.', () => engine.health().restarts)
  gauge('unmask_engine_forwards', 'Forwards since start.', () => engine.health().forwards)
  gauge('unmask_engine_forward_seconds', 'Time in forwards since start.', () => engine.health().forwardMs / 1000)
  gauge('unmask_engine_forward_rows', 'Rows of all forwards since start.', () => engine.health().forwardRows)
  gauge('unmask_engine_cells', 'Tokens that the caches have room for.', () => engine.health().cells)
  gauge('unmask_engine_cells_free', 'Of these, so many are free.', () => engine.health().cellsFree)
  gauge(
    'unmask_engine_cells_kept',
    'Of these, so many hold beginnings for next requests.',
    () => engine.health().cellsKept,
  )
}

/** Serves the numbers at `/metrics`. The caller binds it to loopback. */
export function metricsServer(metrics: Metrics): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Metrics are at GET /metrics.\n')
      return
    }
    void metrics.render().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
