import { deepEqual, equal } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { DocumentsReader } from '../../src/search/documents/documents-reader.ts'
import { Generations } from '../../src/search/index/generations.ts'
import { openEngine } from '../../src/search/index/open-engine.ts'
import { VERTICALS, type Match } from '../../src/search/index/search-index.ts'
import { findTantivyEngine } from '../../src/search/index/tantivy/engine.ts'
import { openSearch } from '../../src/search/open-search.ts'
import { pagesAfter } from '../support/index-changes.ts'
import { buildIndex, documentsPathOf, indexFolderOf } from '../support/local-search.ts'

type Engine = 'tantivy' | 'sqlite'

const WRITER = new URL('../support/index-writer.ts', import.meta.url).pathname

/** Lets a writer work for a while after its first change and kills it with everything it had open; the last change it told. */
async function writeAndKill(folder: string, engine: Engine, first: number, changes: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder, engine, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let told = first - 1
  for await (const line of createInterface({ input: child.stdout })) {
    told = Number(line)
    if (told - first === changes) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  equal(child.signalCode, 'SIGKILL')
  return told
}

/** Which things hold which of the words, in every vertical. */
function contentsOf(indexFolder: string, engine: Engine, words: string[]): Record<string, number[][]> {
  const generations = new Generations(indexFolder)
  const number = generations.current()?.number ?? 0
  const found = generations.folders(number).map(([vertical, folder]): [string, number[][]] => {
    const reader = openEngine(engine).openReader(folder)
    const keysOf = (match: Match): number[] => {
      return [...reader.search({ match, without: [], filter: {}, titleWeight: 0 }, 1_000).keys].sort((a, b) => a - b)
    }
    const keys = [
      { kind: 'anything' } as const,
      ...words.map((term): Match => ({ kind: 'term', field: 'all', term })),
    ].map((match) => keysOf(match))
    reader.close()
    return [vertical, keys]
  })
  return Object.fromEntries(found)
}

function keptPages(folder: string): [string, string][] {
  const documents = new DocumentsReader(documentsPathOf(folder))
  const rows = documents.all('SELECT id, url FROM pages JOIN contents USING (id) ORDER BY url')
  const pages = rows.map((row): [string, string] => [
    String(row['url']),
    documents.findBody(Number(row['id']))?.text ?? '',
  ])
  documents.close()
  return pages
}

async function finish(folder: string, engine: Engine): Promise<void> {
  const options = { engine, threads: 1, safe: true, commitEveryMs: 100, commitEveryPages: 1_000 }
  const search = await openSearch({
    folder,
    options,
    clock: systemClock,
    log: silentLog,
    readCopy: async () => undefined,
  })
  await search.settled()
  await search.close()
}

const plans: [Engine, number][] =
  findTantivyEngine() === undefined
    ? [['sqlite', 20]]
    : [
        ['tantivy', 20],
        ['sqlite', 3],
      ]
for (const [engine, kills] of plans) {
  describe(`an index of ${engine} whose writer is killed ${kills} times while it indexes and rebuilds`, () => {
    test('holds in the end what an index holds that was built at once', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'index-killed-'))
      let next = 0
      for (let kill = 0; kill < kills; kill++)
        next = (await writeAndKill(folder, engine, next, 20 + ((kill * 37) % 130))) + 1
      await finish(folder, engine)
      const kept = keptPages(folder)
      // The last change may have been kept and not told.
      const told = pagesAfter(next)
      deepEqual(kept, isDeepStrictEqual(kept, told) ? told : pagesAfter(next + 1))
      buildIndex(folder, engine, false)
      const words = ['word', 'picture', ...Array.from({ length: 150 }, (_, i) => `number${i}`)]
      words.push(
        ...Array.from({ length: next }, (_, i) => `change${i}`),
        ...Array.from({ length: 9 }, (_, i) => `anchor${i}`),
      )
      const found = contentsOf(join(folder, 'index'), engine, words)
      equal(found['web']?.[0]?.length, kept.length)
      equal(found['images']?.[0]?.length, kept.length)
      const clean = contentsOf(indexFolderOf(folder, engine), engine, words)
      for (const vertical of VERTICALS) deepEqual(found[vertical], clean[vertical])
      rmSync(folder, { recursive: true, force: true })
    })
  })
}
