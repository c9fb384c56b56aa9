import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../../../src/api/metrics.ts'
import { startServer } from '../../support/api-server.ts'
import { freePort } from '../../support/free-port.ts'
import { say } from '../../support/https-client.ts'
import { MemorySearch } from '../../support/memory-search.ts'
import { ScriptedEngine } from '../../support/scripted-engine.ts'

const metricsPort = await freePort()
const server = await startServer({ metricsPort })

test('tell requests, errors, tokens and the engine, on a port of their own', async () => {
  await server.chat()
  await server.chat({ max_tokens: 0 })
  await server.send(`/nobody/${'x'.repeat(50)}`)
  await server.chat(say('fail overloaded 1'))
  await server.send('/api/web-search?query=sea', { key: null })
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  match(text, /unmask_http_requests_total\{route="\/v1\/chat\/completions",method="POST",status="200"\} 1/)
  match(text, /unmask_http_requests_total\{route="unknown",method="GET",status="404"\} 1/)
  match(text, /unmask_http_errors_total\{reason="overloaded"\} 1/)
  match(text, /unmask_useful_tokens_total\{model="Model"\} 6/)
  match(text, /unmask_reply_steps_sum\{model="Model"\} 3/)
  match(text, /unmask_first_token_seconds_count\{model="Model"\} 1/)
  match(text, /unmask_http_requests_inflight 0/)
  match(text, /unmask_engine_ready 1/)
  match(text, /unmask_engine_cells_free 0/)
  match(text, /unmask_search_pages 1/)
  match(text, /unmask_search_seconds_count 1/)
  match(text, /nodejs_eventloop_lag_p99_seconds/)
  ok(!text.includes('nobody'), 'no label is made of what a caller wrote')
  equal((await fetch(`http://127.0.0.1:${metricsPort}/`)).status, 404)
})

test('every metric has a name of ours or of Node, and a help text', async () => {
  const text = await createMetrics(new ScriptedEngine(), new MemorySearch()).render()
  for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) match(name ?? '', /^(unmask|nodejs|process)_/)
})

test('a taken port is a warning in the log, not a refusal to serve', async () => {
  const second = await startServer({ metricsPort })
  equal(second.listening.metricsPort, undefined)
  ok(second.lines.some((line) => line.event === 'metrics_port_taken'))
  equal((await second.send('/healthz', { key: null })).status, 200)
})
