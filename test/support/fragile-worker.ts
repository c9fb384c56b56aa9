/**
 * A child that speaks the engine's wire and dies on command: `die` after its first forward has begun, `die-early` before,
 * `never-opens` as a model's name at once. `wait` is never answered, all else is.
 */
import type { GenerateEvent } from '../../src/engine/messages.ts'
import type { FromWorker, ToWorker } from '../../src/engine/wire.ts'

const sums = { forwards: 1, forwardMs: 1, forwardRows: 1 }
const stats = { running: 0, queued: 0, threads: 1, ...sums, cells: 0, cellsFree: 0, cellsKept: 0 }
const usage = {
  promptTokens: 1,
  completionTokens: 0,
  steps: 1,
  reusedTokens: 0,
  queueMs: 0,
  firstTokenMs: 0,
  totalMs: 0,
}

function send(message: FromWorker): void {
  process.send?.(message)
}

function tell(id: string, event: GenerateEvent): void {
  send({ kind: 'events', events: [[id, event]], stats })
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'open') {
    if ('never-opens' in message.opening.models) process.kill(process.pid, 'SIGKILL')
    send({ kind: 'opened', models: [], stats })
  }
  if (message.kind !== 'generate') return
  const { id, turns } = message.request
  const word = turns.at(-1)?.text
  if (word === 'die-early') process.kill(process.pid, 'SIGKILL')
  if (word === 'wait') return
  send({ kind: 'began', ids: [id] })
  if (word === 'die') process.kill(process.pid, 'SIGABRT')
  tell(id, { kind: 'started', promptTokens: 1 })
  tell(id, { kind: 'done', finish: 'stop', usage })
})
process.on('disconnect', () => process.exit())
