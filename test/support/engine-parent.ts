/** A parent with an engine that computes, to be killed. Says the pid of its child as soon as text comes. */
import { openEngine } from '../../src/engine/client.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'

const folder = process.argv[2] ?? ''
const engine = openEngine({
  options: {
    models: { Model: 'tiny.gguf' },
    threads: 1,
    runningMax: 4,
    queueMax: 16,
    kernel: 'auto',
    cacheTokens: 4096,
    prefillChunk: 32,
    streamIdleMs: 60_000,
  },
  root: folder,
  dataFolder: folder,
  clock: systemClock,
  log: silentLog,
})
const request = {
  id: 'one',
  owner: 'one',
  model: 'Model',
  turns: [{ role: 'user' as const, text: 'Go on.' }],
  tokensMax: 2000,
  temperature: 0.7,
  topP: 0.8,
  seed: 1,
  stop: [],
  wantsSteps: false,
  deadlineAt: Date.now() + 60_000,
  streaming: true,
}
for await (const event of engine.generate(request, new AbortController().signal)) {
  if (event.kind === 'text') process.send?.(engine.pid)
}
