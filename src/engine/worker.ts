/** The engine's child process: it loads the bound models and serves until its parent is gone. */
import { flushCompileCache } from 'node:module'
import { systemClock } from '../lib/clock.ts'
import { openRooms } from './open-rooms.ts'
import { EngineHost } from './engine-host.ts'
import type { FromWorker, Opening, ToWorker } from './wire.ts'

let host: EngineHost | undefined

function send(message: FromWorker): void {
  // A parent that is gone is told by `disconnect`; what was on its way to it does not matter any more.
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

async function open(opening: Opening): Promise<void> {
  try {
    const startedAt = systemClock.monotonicMs()
    const rooms = await openRooms(opening)
    host = new EngineHost(rooms, opening, systemClock, send)
    send({ kind: 'opened', models: rooms.cards, stats: host.stats() })
    const ms = Math.round(systemClock.monotonicMs() - startedAt)
    const cells = [...rooms.rooms.values()].reduce((sum, room) => sum + room.forward.cellsTotal, 0)
    const { kernel, why } = rooms.products
    const products = kernel?.isa ?? `ggml (${why})`
    const fields = { models: rooms.cards.length, cells, products, ms }
    send({ kind: 'log', level: 'info', event: 'models_opened', fields })
    // This process is ended by SIGKILL, and Node writes its cache of compiled files only at an orderly end.
    flushCompileCache()
  } catch (error) {
    return send({ kind: 'refused', sentence: error instanceof Error ? error.message : String(error) })
  }
  await host.run(new AbortController().signal)
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'open') void open(message.opening)
  else host?.hear(message)
})

// At once and for good: an orderly end would wait for a forward that is under way.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

// Ctrl-C in a terminal reaches the whole group; the parent decides when its engine ends.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
