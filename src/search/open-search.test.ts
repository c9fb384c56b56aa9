import { deepEqual, equal } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { makePage } from '../../test/support/pages.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { findTantivyEngine } from './index/tantivy/engine.ts'
import { openSearch, type OpenSearch } from './open-search.ts'
import type { SearchOptions } from './options.ts'
import type { SearchAnswer, SearchRequest } from './search.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'open-search-'))
  folders.push(folder)
  return folder
}

async function open(folder: string, more: Partial<SearchOptions> = {}): Promise<OpenSearch> {
  const options = { engine: 'auto', threads: 1, safe: true, commitEveryMs: 100, commitEveryPages: 5_000 } as const
  return await openSearch({
    folder,
    options: { ...options, ...more },
    clock: systemClock,
    log: silentLog,
    readCopy: async (place) => ({
      url: 'https://copy.test/',
      fetchedAt: place.offset,
      status: 200,
      contentType: 'text/html',
      body: new TextEncoder().encode(place.file),
    }),
  })
}

async function ask(search: OpenSearch, query: string, more: Partial<SearchRequest> = {}): Promise<SearchAnswer> {
  const request: SearchRequest = {
    query,
    count: 10,
    offset: 0,
    include: [],
    exclude: [],
    wants: { pages: true, images: true, videos: true },
    withoutSummary: false,
    deadlineAt: Date.now() + 20_000,
    ...more,
  }
  return await search.search(request, new AbortController().signal)
}

const urls = (answer: SearchAnswer): string[] => answer.pages.results.map((page) => page.url)

const engines = findTantivyEngine() === undefined ? (['sqlite'] as const) : (['tantivy', 'sqlite'] as const)
for (const engine of engines) {
  describe(`search with ${engine}`, () => {
    test('a kept page is found, changed, removed, and still right after a restart and a rebuild', async () => {
      const folder = newFolder()
      let search = await open(folder, { engine })
      equal((await ask(search, 'lighthouse')).pages.total, 0)
      search.keep(makePage('https://a.test/one', 'The lighthouse keeper. Waves beat on the rocks.'))
      search.keep(makePage('https://a.test/two', 'A train station. Nobody waits.'))
      await search.settled()
      deepEqual(urls(await ask(search, 'lighthouses')), ['https://a.test/one'])
      equal(search.stats().pages, 2)
      equal(search.stats().engine, engine)
      search.keep(makePage('https://a.test/two', 'A lighthouse beside the station.'))
      search.remove('https://a.test/one')
      await search.settled()
      deepEqual(urls(await ask(search, 'lighthouse')), ['https://a.test/two'])
      await search.close()
      search = await open(folder, { engine })
      deepEqual(urls(await ask(search, 'lighthouse')), ['https://a.test/two'])
      await search.rebuild()
      deepEqual(urls(await ask(search, 'lighthouse')), ['https://a.test/two'])
      equal(search.stats().pages, 1)
      await search.close()
    })

    test('images and videos are found by their own words and told with their page', async () => {
      const search = await open(newFolder(), { engine })
      const image = { url: 'https://a.test/cat.jpg', name: 'A sleeping cat', context: 'on the roof', prominence: 1 }
      const video = { url: 'https://a.test/dog.mp4', name: 'Running dog', description: 'at the beach', durationS: 61 }
      search.keep(makePage('https://a.test/', 'Animals of the town.', { images: [image], videos: [video] }))
      await search.settled()
      const cats = await ask(search, 'cat roof')
      deepEqual(
        cats.images.results.map((each) => [each.contentUrl, each.hostPageUrl]),
        [['https://a.test/cat.jpg', 'https://a.test/']],
      )
      const dogs = await ask(search, 'dog')
      deepEqual(
        dogs.videos.results.map((each) => [each.contentUrl, each.durationS]),
        [['https://a.test/dog.mp4', 61]],
      )
      equal(search.stats().images, 1)
      await search.close()
    })
  })
}

test('a copy is read from the place that was kept with the page; unknown ids are no copies', async () => {
  const search = await open(newFolder())
  const id = search.keep(makePage('https://a.test/', 'Hello.'), { file: 'x.warc.gz', offset: 7, private: true })
  // Fetched again without a new record: the place stays.
  search.keep(makePage('https://a.test/', 'Hello again.'))
  const copy = await search.storedCopy(String(id))
  equal(copy?.fetchedAt, 7)
  equal(search.stats().privatePages, 1)
  for (const wrong of ['0', '-1', '2', 'x', '1e3', '']) equal(await search.storedCopy(wrong), undefined)
  await search.close()
})

test('another engine than before builds the index anew from the documents', async () => {
  const folder = newFolder()
  for (const [round, engine] of [...engines, engines[0]].entries()) {
    const search = await open(folder, { engine })
    search.keep(makePage(`https://${round}.test/`, 'One lighthouse.'))
    await search.settled()
    equal((await ask(search, 'lighthouse')).pages.total, round + 1)
    await search.close()
  }
})

test('a second opening reads what the first one writes, and writes when the first is gone', async () => {
  const folder = newFolder()
  const first = await open(folder)
  const second = await open(folder)
  second.keep(makePage('https://a.test/', 'One lighthouse.'))
  await second.settled()
  deepEqual(urls(await ask(second, 'lighthouse')), ['https://a.test/'])
  await first.settled()
  deepEqual(urls(await ask(first, 'lighthouse')), ['https://a.test/'])
  await first.close()
  second.keep(makePage('https://b.test/', 'Two lighthouses.'))
  await second.settled()
  equal((await ask(second, 'lighthouse')).pages.total, 2)
  await second.close()
})

test('a search that is given up ends at once; one without time left says that it is partial', async () => {
  const search = await open(newFolder())
  const gone = AbortSignal.abort(new Error('left'))
  const request = { query: 'x', count: 1, offset: 0, include: [], exclude: [], withoutSummary: false, deadlineAt: 0 }
  const wants = { pages: true, images: false, videos: false }
  equal(await search.search({ ...request, wants }, gone).catch((error: Error) => error.message), 'left')
  equal((await ask(search, 'x', { deadlineAt: 0 })).partial, true)
  await search.close()
})
