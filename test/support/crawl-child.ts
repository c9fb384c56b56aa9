/** A crawl in a process of its own, to be killed. argv: folder, the hosts' ports as JSON. Keeps pages as lines of `kept.jsonl`. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { CrawlJob } from '../../src/search/crawl/crawl-types.ts'
import { createCrawler } from '../../src/search/crawl/create-crawler.ts'
import { CRAWLER_OPTIONS, extractSimply } from './crawl-run.ts'

const [, , folder = '', ports = '{}'] = process.argv
const portOf = new Map(Object.entries(JSON.parse(ports) as Record<string, number>))
const crawler = await createCrawler({
  folder,
  options: { ...CRAWLER_OPTIONS, delayMs: 0, concurrency: 6, warcBytesMax: 1_000_000 },
  extract: async (page) => extractSimply(page),
  keep: ({ url }, place) => appendFileSync(join(folder, 'kept.jsonl'), `${JSON.stringify({ url, place })}\n`),
  remove: () => undefined,
  clock: systemClock,
  log: silentLog,
  resolve: async (hostname) => {
    const port = portOf.get(hostname)
    return port === undefined ? [] : [{ address: '127.0.0.1', port }]
  },
})
const seeds = [...portOf.keys()].map((host) => `http://${host}/`)
const job: CrawlJob = { seeds, pagesMax: 10_000, depthMax: 50, scope: 'host' }
const end = await crawler.run(job, new AbortController().signal, () => undefined)
await crawler.close()
process.stdout.write(JSON.stringify(end))
