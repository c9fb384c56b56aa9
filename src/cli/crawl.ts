import { existsSync, readFileSync } from 'node:fs'
import type { Exemption } from '../lib/net/guard.ts'
import type { CrawlEnd, CrawlJob, CrawlProgress } from '../search/crawl/crawl-types.ts'
import { UserError, WRONG_USE, type Call, type Command } from './command.ts'
import { runCrawl } from './crawl/run-crawl.ts'
import { openDataFolder } from './data-folder.ts'
import { openConfig, PLACE_FLAGS } from './open-config.ts'
import { openLog } from './open-log.ts'
import { findReadyFile } from './ready-file.ts'

const PAGES = { fallback: 500, max: 10_000_000 }
const DEPTH = { fallback: 10, max: 1000 }

export const crawl: Command = {
  action: {
    summary: 'Fetch pages of web sites, so that search finds them',
    words: 'URL... [flags]',
    wordsMin: 1,
    wordsMax: 1000,
    flags: {
      pages: { value: 'N', help: `Pages to keep at most (default ${PAGES.fallback})` },
      depth: { value: 'N', help: `Links from a URL at most; 0: only the URLs themselves (default ${DEPTH.fallback})` },
      domain: { help: 'Follow links to all hosts of the same registered domain, not only to the same host' },
      json: { help: 'The outcome as JSON' },
      ...PLACE_FLAGS,
    },
    notes:
      'Polite: robots.txt, one request at a time and a second between two on each host. Public sites need crawler.contact, private\n' +
      'ones crawler.allowPrivate. Works beside a running server, whose searches go on. Ctrl+C stops it; the same command goes on.',
    examples: [
      'unmask crawl https://docs.example.org/ --pages 500 --set crawler.contact=https://example.org/about',
      'unmask crawl http://127.0.0.1:8080/ --set crawler.allowPrivate=true',
    ],
    run: crawlSites,
  },
}

async function crawlSites(call: Call): Promise<number> {
  process.umask(0o077)
  const job: CrawlJob = {
    seeds: call.words,
    pagesMax: readCount(call, 'pages', PAGES, 1),
    depthMax: readCount(call, 'depth', DEPTH, 0),
    scope: call.on('domain') ? 'domain' : 'host',
  }
  const { config, dataFolder } = openConfig(call)
  if (openDataFolder(dataFolder, Date.now()).kind === 'outdated')
    throw new UserError(`${dataFolder} is of an older version: start "unmask serve" once, it brings it up to date.`)
  const ready = findReadyFile(dataFolder)
  const log = openLog(dataFolder, config.log, process.stderr)
  const exempt = ready === undefined ? [] : [exemptionOf(ready.baseUrl, ready.caFile)]
  const leaving = new AbortController()
  const leave = (): void => (leaving.signal.aborted ? process.exit(130) : leaving.abort())
  process.on('SIGINT', leave).on('SIGTERM', leave)
  process.on('disconnect', orphaned)
  try {
    const wish = { job, config, dataFolder, served: ready !== undefined, exempt, log }
    const end = await runCrawl(wish, leaving.signal, (progress) => call.terminal.progress(renderProgress(progress)))
    call.terminal.progress('')
    if (end.kind === 'refused') throw new UserError(end.sentence)
    log.info('crawl_ended', { why: end.why, kept: end.kept, fetched: end.fetched, bytes: end.bytes })
    call.terminal.say(call.on('json') ? JSON.stringify(end) : renderEnd(end, ready !== undefined))
    return end.why === 'aborted' ? 130 : 0
  } finally {
    call.terminal.progress('')
    log.close()
    process.off('disconnect', orphaned)
    if (process.connected) process.disconnect?.()
  }
}

/** A server's own child ends with it: what is in flight is asked again at the next start. */
function orphaned(): void {
  process.kill(process.pid, 'SIGKILL')
}

/** The server that runs on this folder may be asked wherever it listens. */
function exemptionOf(baseUrl: string, caFile: string): Exemption {
  return { origin: baseUrl, ...(existsSync(caFile) ? { ca: readFileSync(caFile, 'utf8') } : {}) }
}

function readCount(call: Call, flag: string, { fallback, max }: typeof PAGES, min: number): number {
  const text = call.text(flag)
  const value = text === undefined ? fallback : Number(text)
  if (/^\d{1,9}$/.test(text ?? '0') && value >= min && value <= max) return value
  throw new UserError(`--${flag} is ${text}; allowed: a whole number from ${min} to ${max}.`, WRONG_USE)
}

function renderProgress({ kept, fetched, waiting, url }: CrawlProgress): string {
  return `${kept} pages kept, ${fetched} fetched, ${waiting} waiting · ${url}`
}

const WHY = {
  empty: 'Nothing more was found to fetch.',
  pages_max: 'The number of pages asked for is reached.',
  aborted: 'Stopped; the same command goes on from here.',
}

/** What became of addresses that are no page of the index. */
const STATES: Record<string, string> = {
  done: 'sitemap, feed or gone',
  noindex: 'not to be indexed',
  no_page: 'no page',
  disallowed: 'disallowed by robots.txt',
  trap: 'endless variants of a page',
  given_up: 'given up',
}

function renderEnd(end: Extract<CrawlEnd, { kind: 'ended' }>, served: boolean): string {
  const where = served ? 'the running server finds them within seconds' : 'they are in the index'
  const others = Object.entries(end.states).filter(([state]) => state !== 'kept' && state !== 'waiting')
  return [
    `${end.kept} pages kept of ${end.fetched} answers (${(end.bytes / 1e6).toFixed(1)} MB); ${where}. ${WHY[end.why]}`,
    ...(others.length === 0
      ? []
      : [`Not kept: ${others.map(([state, count]) => `${count} ${STATES[state] ?? state}`).join(', ')}.`]),
    ...end.givenUp.map(({ host, reason }) => `${host} was left: ${reason}`),
  ].join('\n')
}
