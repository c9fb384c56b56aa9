import { parentPort, workerData } from 'node:worker_threads'
import { DocumentsReader } from '../../src/search/documents/documents-reader.ts'
import { DocumentsWriter } from '../../src/search/documents/documents-writer.ts'
import type { EngineChoice } from '../../src/search/index/open-engine.ts'
import { documentsPathOf, openLoop } from '../../test/support/local-search.ts'
import { seededRandom } from './random.ts'

const COMMIT_EVERY_MS = 1_000
const BATCH = 64

/** Indexes pages anew for ever, in the order of chance, and commits every second. */
const { folder, engine } = workerData as { folder: string; engine: EngineChoice }
const documents = new DocumentsReader(documentsPathOf(folder))
const keeper = new DocumentsWriter(documentsPathOf(folder))
const { loop } = openLoop(folder, engine, documents)
const ids = documents.all('SELECT id FROM contents').map((row) => Number(row['id']))
const random = seededRandom(1)
let committedAt = performance.now()
for (let pages = 0; ;) {
  for (let i = 0; i < BATCH; i++) keeper.touch(ids[Math.floor(random() * ids.length)] ?? 1)
  loop.step(0)
  pages += BATCH
  if (performance.now() - committedAt < COMMIT_EVERY_MS) continue
  loop.commit(0)
  committedAt = performance.now()
  parentPort?.postMessage({ committed: loop.committed, pages })
}
