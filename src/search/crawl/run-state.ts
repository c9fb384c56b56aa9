import type { GuardRules } from '../../lib/net/guard.ts'
import type { GuardedFetch } from '../../lib/net/guarded-fetch.ts'
import { normaliseUrl } from '../../lib/url/normalise.ts'
import type { WarcWriter } from '../../lib/warc/writer.ts'
import type { CrawlerDeps, CrawlJob } from './crawl-types.ts'
import type { Frontier, Item, ItemEnd, NewItem } from './frontier.ts'
import type { HostLine, HostPlace } from './host-line.ts'
import type { RobotsRules } from './robots.ts'
import { isInScope, looksLikePage } from './scope.ts'
import { findTrap } from './traps.ts'

/** What one run of a job shares between its steps. */
export type Run = {
  id: number
  job: CrawlJob
  deps: CrawlerDeps
  frontier: Frontier
  net: GuardedFetch
  guard: GuardRules
  warc: WarcWriter
  line: HostLine
  scopes: string[]
  robots: Map<string, { rules: RobotsRules; expiresAt: number }>
  /** Host → reason. */
  givenUp: Map<string, string>
  /** URLs in the queue by host, against `hostPagesMax`. */
  queued: Map<string, number>
  signal: AbortSignal
  /** Tells the caller that a URL is finished. */
  tell(url: string): void
}

/** The queue holds at most so many URLs for each page the job wants, and a thousand besides. */
const QUEUE_FACTOR = 20
const QUEUE_FREE = 1000
/** A host that wants to be left alone for longer is left to a later run. */
export const WAIT_MAX_MS = 600_000

/** Ends an item; what it led to waits at its hosts from now on. */
export function finishItem(run: Run, item: Item, end: ItemEnd, found: readonly NewItem[] = []): void {
  // Where a URL sends us takes its place: that needs no room.
  const wanted = end === 'redirected' ? found : withinBudget(run, found)
  const hosts = run.frontier.finish(run.id, item, end, wanted, run.deps.clock.now())
  lineUp(run, hosts)
  run.deps.log.debug('url_finished', { url: item.url, end, found: hosts.length })
  run.tell(item.url)
}

export function addItems(run: Run, found: readonly NewItem[]): void {
  lineUp(run, run.frontier.add(run.id, withinBudget(run, found), run.deps.clock.now()))
}

function lineUp(run: Run, hosts: readonly string[]): void {
  for (const [host, list] of Map.groupBy(hosts, (one) => one)) lineUpHost(run, host, list.length)
}

/** So many URLs more wait at a host. One that asked to be left alone for long, in an earlier run too, is left to a later one. */
export function lineUpHost(run: Run, host: string, count: number): void {
  run.queued.set(host, (run.queued.get(host) ?? 0) + count)
  const place = run.line.add(host, count, () => run.frontier.sites.host(host))
  if (run.givenUp.has(host)) giveUpHost(run, place, run.givenUp.get(host) ?? '', 'given_up')
  else if (place.nextAt - run.deps.clock.now() > WAIT_MAX_MS) giveUpHost(run, place, 'busy', 'given_up')
}

function withinBudget(run: Run, found: readonly NewItem[]): NewItem[] {
  const total = [...run.queued.values()].reduce((sum, count) => sum + count, 0)
  const room = Math.max(0, run.job.pagesMax * QUEUE_FACTOR + QUEUE_FREE - total)
  return found
    .filter(({ url }) => {
      const { host } = new URL(url)
      return !run.givenUp.has(host) && (run.queued.get(host) ?? 0) < run.deps.options.hostPagesMax
    })
    .slice(0, room)
}

/** Leaves a host for this run. */
export function giveUpHost(run: Run, place: HostPlace, reason: string, end: ItemEnd): void {
  run.givenUp.set(place.host, reason)
  run.frontier.giveUpHost(run.id, place.host, end)
  place.waiting = 0
  run.deps.log.warn('host_given_up', { host: place.host, reason })
}

/** A link as an item of the queue, if this run may and should follow it. `base` is the page it stands on. */
export function itemFor(run: Run, link: string, base: string, rest: Omit<NewItem, 'url'>): NewItem[] {
  const url = normaliseUrl(link, base)
  if (url === undefined || rest.depth > run.job.depthMax) return []
  if (!isInScope(new URL(url).hostname, run.scopes, run.job.scope)) return []
  if (rest.kind === 'page' && (!looksLikePage(url) || findTrap(url, run.deps.clock.now()) !== undefined)) return []
  return [{ url, ...rest }]
}
