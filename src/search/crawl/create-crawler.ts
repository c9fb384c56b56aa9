import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isPublicAddress } from '../../lib/net/address-guard.ts'
import { findExemption, type GuardRules, placesOf, refuseUrl } from '../../lib/net/guard.ts'
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts'
import { cachedResolve, systemResolve } from '../../lib/net/resolve.ts'
import { normaliseUrl } from '../../lib/url/normalise.ts'
import { WarcWriter } from '../../lib/warc/writer.ts'
import { crawl } from './crawl.ts'
import type { CrawlEnd, Crawler, CrawlerDeps, CrawlJob, CrawlProgress } from './crawl-types.ts'
import { userAgent } from './fetch-page.ts'
import { Frontier } from './frontier.ts'
import { HostLine } from './host-line.ts'
import { addItems, lineUpHost, type Run } from './run-state.ts'
import { scopeOf } from './scope.ts'

const SEED_PRIORITY = 100

/** Another process crawls into the same folder. */
export class CrawlFolderBusy extends Error {
  constructor(folder: string) {
    super(`Another crawl is writing to ${folder}. Wait until it has ended, or stop it.`)
  }
}

/** Opens the frontier and the WARC of a folder, recovering both after a crash. Throws `CrawlFolderBusy`. */
export async function createCrawler(deps: CrawlerDeps): Promise<Crawler> {
  mkdirSync(deps.folder, { recursive: true })
  const unlock = lockFolder(deps.folder)
  const guard: GuardRules = {
    resolve: cachedResolve(deps.resolve ?? systemResolve, deps.clock),
    allowPrivate: deps.options.allowPrivate,
    ...(deps.options.allowPrivate ? { ports: true } : {}),
    exempt: deps.exempt ?? [],
  }
  const frontier = new Frontier(join(deps.folder, 'frontier.db'))
  const warc = await WarcWriter.open({
    folder: join(deps.folder, 'warc'),
    clock: deps.clock,
    fileBytesMax: deps.options.warcBytesMax,
    about: { software: userAgent(deps.options.contact), robots: 'obey (RFC 9309)' },
  })
  const limits = { wireBytesMax: deps.options.pageBytesMax, ...deps.limits }
  const net = createGuardedFetch({ ...guard, limits, clock: deps.clock })
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(job, signal, onProgress) {
      // One after the other: two runs would each keep the distance that a host asks for, and together halve it.
      const end = last.then(() => runJob({ deps, guard, frontier, warc, net }, job, signal, onProgress))
      last = end.catch(() => undefined)
      return end
    },
    async close() {
      await last
      await net.close()
      await warc.close()
      frontier.close()
      unlock()
    },
  }
}

/** SQLite's lock ends with the process that holds it, however that ends. */
function lockFolder(folder: string): () => void {
  const db = new DatabaseSync(join(folder, 'crawl.lock'))
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch {
    db.close()
    throw new CrawlFolderBusy(folder)
  }
  return () => db.close()
}

type Parts = Pick<Run, 'deps' | 'guard' | 'frontier' | 'warc' | 'net'>

async function runJob(
  parts: Parts,
  job: CrawlJob,
  signal: AbortSignal,
  onProgress: (progress: CrawlProgress) => void,
): Promise<CrawlEnd> {
  const { deps, frontier } = parts
  const seeds = job.seeds.map((seed) => ({ seed, url: normaliseSeed(seed) }))
  const sentence = await refuseSeeds(parts, seeds)
  if (sentence !== undefined) return { kind: 'refused', sentence }
  const urls = seeds.flatMap(({ url }) => url ?? [])
  const { id, resumed } = frontier.beginRun(JSON.stringify({ ...job, seeds: urls }), deps.clock.now())
  const run: Run = {
    ...parts,
    id,
    job,
    line: new HostLine(),
    scopes: [...new Set([...frontier.scopes(id), ...urls.map((url) => scopeOf(new URL(url).hostname, job.scope))])],
    robots: new Map(),
    givenUp: new Map(),
    queued: new Map(),
    signal,
    tell: (url) => onProgress(progressOf(run, url)),
  }
  frontier.saveScopes(id, run.scopes)
  for (const [host, count] of frontier.waiting(id)) {
    run.queued.set(host, count)
    lineUpHost(run, host, count)
  }
  addItems(
    run,
    urls.map((url) => ({ url, kind: 'page', priority: SEED_PRIORITY, depth: 0, redirects: 0 })),
  )
  const why = await crawl(run)
  const states = frontier.states(id)
  if (why === 'aborted') frontier.putBackTaken(id)
  else frontier.endRun(id, deps.clock.now())
  const givenUp = [...run.givenUp].map(([host, reason]) => ({ host, reason }))
  return { kind: 'ended', why, resumed, ...frontier.totals(id), states, givenUp }
}

function progressOf(run: Run, url: string): CrawlProgress {
  return { url, ...run.frontier.totals(run.id), waiting: run.line.waiting() }
}

/** "example.org" is what people write; the site itself will say if it speaks http only. */
function normaliseSeed(seed: string): string | undefined {
  return normaliseUrl(/^[a-z][a-z\d+.-]*:\/\//i.test(seed.trim()) ? seed : `https://${seed.trim()}`)
}

/** Why the job cannot begin, and what to do about it. */
async function refuseSeeds(
  parts: Parts,
  seeds: { seed: string; url: string | undefined }[],
): Promise<string | undefined> {
  if (seeds.length === 0) return 'No address to begin at was given. Name one, e.g. https://docs.example.org/.'
  for (const { seed, url } of seeds) {
    if (url === undefined) return `"${seed}" is not a web address. Write it like https://docs.example.org/.`
    const sentence = await refuseSeed(parts, new URL(url))
    if (sentence !== undefined) return sentence
  }
  return undefined
}

async function refuseSeed({ deps, guard }: Parts, url: URL): Promise<string | undefined> {
  const closed = `${url.host} is on a private network or another port. Set crawler.allowPrivate (UNMASK_CRAWLER_ALLOW_PRIVATE=true) if it is yours.`
  if (refuseUrl(url, guard) !== undefined) return closed
  if (findExemption(url.origin, guard) !== undefined) return undefined
  try {
    const places = await placesOf(url, guard)
    const isPublic = places.some(({ address }) => isPublicAddress(address))
    if (!isPublic || deps.options.contact !== '') return undefined
    return `${url.host} is a public site, and its owner must be able to reach you. Set crawler.contact (UNMASK_CRAWLER_CONTACT) to a page or an e-mail address of yours, then start the crawl again.`
  } catch {
    const reachable = await guard.resolve(url.hostname).then(
      (places) => places.length > 0,
      () => false,
    )
    return reachable
      ? closed
      : `${url.hostname} has no address. Check the name, and that this machine can reach the web.`
  }
}
