import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { startIndexing } from './start-indexing.ts'
import type { IndexingStart, ToIndexer } from './indexing-messages.ts'

/** Queries go before indexing. On Linux 0 means this thread, and those that the engine begins from it. */
function giveWay(): void {
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The system allows no such thing: it works without.
  }
}

/** The thread's whole life: `workerData` says where, messages say what. */
if (parentPort !== null) {
  const port = parentPort
  if (process.platform === 'linux') giveWay()
  const running = startIndexing(workerData as IndexingStart, (event) => port.postMessage(event))
  port.on('message', (message: ToIndexer) => {
    if (message.kind === 'wake') running.wake()
    else if (message.kind === 'rebuild') running.rebuild()
    else void running.close().then(() => port.close())
  })
}
