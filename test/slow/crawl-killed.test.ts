import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { findCaptures } from '../../src/lib/warc/cdxj.ts'
import { readCapture } from '../../src/lib/warc/read-capture.ts'
import { readWarcFile } from '../../src/lib/warc/reader.ts'
import { type CrawlEnd } from '../../src/search/crawl/crawl-types.ts'
import { linkPage, type SitePaths, type Sites, startSites } from '../support/crawl-sites.ts'

const CHILD = new URL('../support/crawl-child.ts', import.meta.url).pathname
const HOSTS = 4
const PAGES = 100
const KILLS = 8
/** As the child crawls: so many pages are on their way at most. */
const CONCURRENCY = 6

/** Pages in a tree, a few kilobytes each; every second one says nothing by which it could be asked for conditionally. */
function siteOf(host: string): SitePaths {
  const page = (i: number): string =>
    linkPage(
      `${host} ${i}`,
      [2 * i + 1, 2 * i + 2].filter((n) => n < PAGES).map((n) => `/p${n}`),
      `<!-- ${'filler '.repeat(800)} -->`,
    )
  const paths = Array.from({ length: PAGES }, (_, i) => [i === 0 ? '/' : `/p${i}`, i] as const)
  return Object.fromEntries(
    paths.map(([path, i]) => [
      path,
      (request, response) => {
        const validator: Record<string, string> = i % 2 === 0 ? { ETag: `"${i}"` } : {}
        if (request.headers['if-none-match'] !== undefined) response.writeHead(304, validator).end()
        else response.writeHead(200, { 'Content-Type': 'text/html', ...validator }).end(page(i))
      },
    ]),
  )
}

/** Runs the crawl to its end, or kills it after so many more requests. */
async function crawlOrKill(folder: string, sites: Sites, hosts: string[], killAfter?: number): Promise<string> {
  const places = await Promise.all(hosts.map(async (host) => [host, (await sites.resolve(host))[0]?.port]))
  const child = spawn(process.execPath, [CHILD, folder, JSON.stringify(Object.fromEntries(places))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const from = sites.requests.length
  const watch = setInterval(() => {
    if (killAfter !== undefined && sites.requests.length - from >= killAfter) child.kill('SIGKILL')
  }, 1)
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  clearInterval(watch)
  return output
}

test('killed again and again, a crawl loses nothing and asks twice only for what was in flight', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'unmask-killed-'))
  const hosts = Array.from({ length: HOSTS }, (_, i) => `h${i}.example`)
  const sites = await startSites(Object.fromEntries(hosts.map((host) => [host, siteOf(host)])), Date.now)
  t.after(async () => {
    await sites.close()
    rmSync(folder, { recursive: true })
  })
  for (let kill = 0; kill < KILLS; kill++) {
    equal(await crawlOrKill(folder, sites, hosts, 20 + kill * 5), '', 'killed before its end')
  }
  const end = JSON.parse(await crawlOrKill(folder, sites, hosts)) as CrawlEnd
  ok(end.kind === 'ended' && end.why === 'empty' && end.resumed)
  equal(end.kept, HOSTS * PAGES)

  // Every page was kept, and its copy is the page.
  const kept = readFileSync(join(folder, 'kept.jsonl'), 'utf8').trim().split('\n')
  const places = new Map(
    kept
      .map((line) => JSON.parse(line) as { url: string; place: { file: string; offset: number } })
      .map(({ url, place }) => [url, place]),
  )
  equal(places.size, HOSTS * PAGES)
  for (const [url, place] of places) {
    const copy = await readCapture(join(folder, 'warc'), place)
    equal(copy?.url, url)
    ok(
      Buffer.from(copy?.body ?? [])
        .toString()
        .includes('</html>'),
    )
    ok(findCaptures(join(folder, 'warc'), url).some((capture) => capture.offset === place.offset))
  }

  // What was on its way, from asking to keeping, was asked again; nothing else.
  const counts = Map.groupBy(sites.requests, ({ host, path }) => host + path)
  const again = [...counts.values()].reduce((sum, list) => sum + list.length - 1, 0)
  ok(again <= KILLS * CONCURRENCY, `${again} requests were made twice by ${KILLS} kills`)
  t.diagnostic(`${sites.requests.length} requests, ${again} of them again`)

  // The WARC files are whole from their first record to their last.
  const files = readdirSync(join(folder, 'warc')).filter((name) => name.endsWith('.warc.gz'))
  ok(files.length > 0)
  const broken: string[] = []
  for (const name of files) {
    for await (const record of readWarcFile(join(folder, 'warc', name))) {
      if (record.cut || record.type === undefined) broken.push(`${name} ${record.offset}`)
    }
  }
  deepEqual(broken, [])
})
