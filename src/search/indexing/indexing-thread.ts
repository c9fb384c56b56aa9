import { parentPort, workerData } from 'node:worker_threads'
import { startIndexing } from './start-indexing.ts'
import type { IndexingStart, ToIndexer } from './indexing-messages.ts'

/** The thread's whole life: `workerData` says where, messages say what. */
if (parentPort !== null) {
  const port = parentPort
  const running = startIndexing(workerData as IndexingStart, (event) => port.postMessage(event))
  port.on('message', (message: ToIndexer) => {
    if (message.kind === 'wake') running.wake()
    else if (message.kind === 'rebuild') running.rebuild()
    else void running.close().then(() => port.close())
  })
}
