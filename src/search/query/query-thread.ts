import { parentPort, workerData } from 'node:worker_threads'
import type { FromQuery, QueryStart, ToQuery } from './query-messages.ts'
import { Searcher } from './searcher.ts'

/** The thread's whole life: answers what it is asked, and prepares what later answers need while nobody asks. */
if (parentPort !== null) {
  const port = parentPort
  const searcher = new Searcher(workerData as QueryStart)
  const tell = (message: FromQuery): void => port.postMessage(message)
  let warming: NodeJS.Immediate | undefined
  const warm = (): void => {
    warming = searcher.warm() ? setImmediate(warm) : undefined
  }
  port.on('message', (message: ToQuery) => {
    if (message.kind === 'search') {
      try {
        tell({
          kind: 'answer',
          id: message.id,
          ...searcher.search(message.request, message.list, message.msMax, message.nowMs),
        })
      } catch (error) {
        tell({ kind: 'failed', id: message.id, message: error instanceof Error ? (error.stack ?? '') : String(error) })
      }
    } else if (message.kind === 'reload') {
      try {
        searcher.reload(message.generation)
        tell({ kind: 'reloaded', nonce: message.nonce, counts: searcher.count() })
      } catch (error) {
        tell({ kind: 'unread', nonce: message.nonce, message: String(error) })
      }
      if (warming === undefined) warm()
    } else {
      clearImmediate(warming)
      searcher.close()
      port.close()
    }
  })
}
