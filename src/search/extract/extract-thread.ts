import { parentPort } from 'node:worker_threads'
import { extract } from './extract.ts'
import type { Extraction, FetchedPage } from './fetched-page.ts'

/** One page in, one extraction out; the pool sends the next when it has the answer. */
parentPort?.on('message', (page: FetchedPage) => {
  extract(page).then(
    (extraction) => parentPort?.postMessage(extraction),
    (error: unknown) => {
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      parentPort?.postMessage({ kind: 'none', reason } satisfies Extraction)
    },
  )
})
