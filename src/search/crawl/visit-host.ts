import { isPublicAddress } from '../../lib/net/address-guard.ts'
import { findExemption, GuardError, placesOf } from '../../lib/net/guard.ts'
import { fetchPage, ROBOTS_TOKEN, type Visit } from './fetch-page.ts'
import { fetchRobots, rulesOf } from './fetch-robots.ts'
import type { Item } from './frontier.ts'
import { handleList } from './handle-list.ts'
import { handlePage, handleUnchanged } from './handle-page.ts'
import type { HostPlace } from './host-line.ts'
import { readableKind } from './page-kind.ts'
import { backOffAfter, busyAfter, delayAfter, type Manners } from './politeness.ts'
import { isAllowed, type RobotsRules } from './robots.ts'
import { addItems, finishItem, giveUpHost, itemFor, type Run, WAIT_MAX_MS } from './run-state.ts'
import { scopeOf } from './scope.ts'
import type { KnownPage } from './site-memory.ts'
import { storeAnswer } from './store-answer.ts'

const TRIES_MAX = 3
const HOST_FAILURES_MAX = 5
const NAME_TRIES_MAX = 2
const ROBOTS_TRIES_MAX = 3
const REDIRECTS_MAX = 5
/** RFC 9309 §2.3.1.4: an old copy may stand in for an unreachable robots.txt this long. */
const ROBOTS_STALE_MAX_MS = 30 * 86_400_000
const SITEMAP_PRIORITY = 90
const MOVED = new Set([301, 308])

/** What is left to do once the host is free again. */
export type After = (() => Promise<void>) | undefined

/**
 * One step at one host, at most one request: find its address, or ask for its robots.txt, or ask for its next URL.
 * Sets when the host may be asked again.
 */
export async function visitHost(run: Run, place: HostPlace): Promise<After> {
  const item = run.frontier.peek(run.id, place.host)
  if (item === undefined) {
    place.waiting = 0
    return undefined
  }
  const { origin } = new URL(item.url)
  if (place.address === undefined) return findAddress(run, place, new URL(item.url))
  const robots = robotsOf(run, origin)
  if (robots === undefined) return askRobots(run, place, origin)
  if (!isAllowed(robots, pathOf(item.url))) {
    place.waiting--
    finishItem(run, item, 'disallowed')
    return undefined
  }
  return askItem(run, place, item, mannersOf(run, origin, robots))
}

/** Refuses what the guard or a missing contact forbids, before anything is asked. */
async function findAddress(run: Run, place: HostPlace, url: URL): Promise<After> {
  try {
    const places = await placesOf(url, run.guard)
    const isPublic = places.some(({ address }) => isPublicAddress(address))
    if (isPublic && run.deps.options.contact === '' && findExemption(url.origin, run.guard) === undefined) {
      giveUpHost(run, place, 'no_contact', 'given_up')
      return undefined
    }
    const [first] = places
    place.address = first === undefined ? '' : `${first.address}${first.port === undefined ? '' : `:${first.port}`}`
  } catch (error) {
    if (error instanceof GuardError && error.reason === 'address') giveUpHost(run, place, 'address', 'given_up')
    else failHost(run, place, 'name', { delayMs: run.deps.options.delayMs }, NAME_TRIES_MAX)
  }
  return undefined
}

function robotsOf(run: Run, origin: string): RobotsRules | undefined {
  const now = run.deps.clock.now()
  const known = run.robots.get(origin)
  if (known !== undefined && known.expiresAt > now) return known.rules
  const stored = run.frontier.sites.robots(origin)
  if (stored === undefined || stored.expiresAt <= now) return undefined
  return learnRobots(run, origin, rulesOf(stored, ROBOTS_TOKEN), stored.expiresAt)
}

async function askRobots(run: Run, place: HostPlace, origin: string): Promise<After> {
  const { clock, options, log } = run.deps
  rest(run, place, mannersOf(run, origin, undefined).delayMs)
  // Known before it is asked, so that the host has its rest even if we are killed meanwhile.
  run.frontier.sites.saveHost(place.host, place)
  const { robots, answer, tookMs } = await fetchRobots(run.net, {
    origin,
    contact: options.contact,
    now: clock.now(),
    signal: run.signal,
  })
  if (run.signal.aborted) return undefined
  rest(run, place, delayAfter(tookMs, mannersOf(run, origin, undefined)))
  log.info('robots_fetched', { origin, verdict: robots.verdict, status: answer?.status ?? null })
  if (answer !== undefined) await storeAnswer(run.warc, answer, undefined, clock.now())
  if (robots.verdict === 'disallow') unreachableRobots(run, place, origin)
  else {
    run.frontier.sites.saveRobots(origin, robots)
    place.failures = 0
    const rules = learnRobots(run, origin, rulesOf(robots, ROBOTS_TOKEN), robots.expiresAt)
    rest(run, place, delayAfter(tookMs, mannersOf(run, origin, rules)))
  }
  run.frontier.sites.saveHost(place.host, place)
  return undefined
}

/** §2.3.1.4: a site whose robots.txt cannot be had is closed; an older copy may speak for it. */
function unreachableRobots(run: Run, place: HostPlace, origin: string): void {
  const now = run.deps.clock.now()
  const stored = run.frontier.sites.robots(origin)
  if (stored !== undefined && stored.expiresAt > now - ROBOTS_STALE_MAX_MS) {
    learnRobots(run, origin, rulesOf(stored, ROBOTS_TOKEN), now + WAIT_MAX_MS)
    return
  }
  place.failures++
  if (place.failures >= ROBOTS_TRIES_MAX) giveUpHost(run, place, 'robots_unreachable', 'disallowed')
  else rest(run, place, backOffAfter(place.failures, mannersOf(run, origin, undefined)))
}

/** Remembers the rules and queues the sitemaps they name, or the usual place of one. */
function learnRobots(run: Run, origin: string, rules: RobotsRules, expiresAt: number): RobotsRules {
  run.robots.set(origin, { rules, expiresAt })
  if (run.job.depthMax > 0) {
    const named = rules.sitemaps.length > 0 ? rules.sitemaps : ['/sitemap.xml']
    const rest = { kind: 'sitemap' as const, priority: SITEMAP_PRIORITY, depth: 0, redirects: 0 }
    addItems(
      run,
      named.flatMap((url) => itemFor(run, url, `${origin}/`, rest)),
    )
  }
  return rules
}

async function askItem(run: Run, place: HostPlace, item: Item, manners: Manners): Promise<After> {
  const { clock, options, log } = run.deps
  const startedAt = clock.monotonicMs()
  run.frontier.take(item, clock.now() + manners.delayMs)
  place.waiting--
  const known = item.kind === 'page' ? run.frontier.sites.knownPage(item.url) : undefined
  const visit = await fetchPage(run.net, { url: item.url, contact: options.contact, known, signal: run.signal })
  // Taken items wait again at the next start.
  if (run.signal.aborted) return undefined
  const tookMs = clock.monotonicMs() - startedAt
  const status = visit.answer?.status ?? 0
  run.frontier.countFetch(run.id, visit.answer?.body.length ?? 0)
  log.info('url_fetched', { url: item.url, kind: visit.kind, status, ms: Math.round(tookMs) })
  rest(run, place, delayAfter(tookMs, manners))
  if (visit.kind === 'failed') failItem(run, place, item, visit.reason, manners)
  else if (visit.kind === 'busy') leaveBusy(run, place, item, visit.retryAfter)
  else place.failures = 0
  run.frontier.sites.saveHost(place.host, place)
  return () => handleVisit(run, item, visit, known)
}

async function handleVisit(run: Run, item: Item, visit: Visit, known: KnownPage | undefined): Promise<void> {
  // People give sitemaps and feeds as places to begin at, and pages link to them.
  const isList = visit.kind === 'page' && (item.kind !== 'page' || readableKind(visit.answer) === 'xml')
  if (isList) return handleList(run, item, visit.answer)
  if (visit.kind === 'page') return handlePage(run, item, visit.answer, known)
  if (visit.kind === 'unchanged' && known !== undefined) return handleUnchanged(run, item, visit.answer, known)
  if (visit.answer !== undefined) await storeAnswer(run.warc, visit.answer, undefined, run.deps.clock.now())
  if (visit.kind === 'redirect') {
    // It has moved for good: what we keep under the old URL would be found twice.
    if (known?.place !== undefined && MOVED.has(visit.answer.status)) await run.deps.remove(item.url)
    return followRedirect(run, item, visit.target)
  }
  if (visit.kind === 'gone') {
    if (item.kind === 'page') await run.deps.remove(item.url)
    return finishItem(run, item, 'done')
  }
  if (visit.kind === 'refused' || visit.kind === 'unchanged') return finishItem(run, item, 'failed')
}

/** The target takes the item's place in the queue; where a seed is sent, the crawl may go. */
function followRedirect(run: Run, item: Item, target: string | undefined): void {
  const url = target === undefined ? null : URL.parse(target)
  if (url === null || item.redirects >= REDIRECTS_MAX) return finishItem(run, item, 'failed')
  const scope = scopeOf(url.hostname, run.job.scope)
  if (item.depth === 0 && item.kind === 'page' && !run.scopes.includes(scope)) {
    run.scopes.push(scope)
    run.frontier.saveScopes(run.id, run.scopes)
  }
  const { kind, depth, priority, hints } = item
  const next = {
    kind,
    depth,
    priority: priority + 1,
    redirects: item.redirects + 1,
    ...(hints === undefined ? {} : { hints }),
  }
  finishItem(run, item, 'redirected', itemFor(run, url.href, item.url, next))
}

function failItem(run: Run, place: HostPlace, item: Item, reason: string, manners: Manners): void {
  if (item.tries + 1 >= TRIES_MAX) finishItem(run, item, 'failed')
  else retryItem(run, place, item)
  failHost(run, place, reason, manners, HOST_FAILURES_MAX)
}

function failHost(run: Run, place: HostPlace, reason: string, manners: Manners, failuresMax: number): void {
  place.failures++
  if (place.failures >= failuresMax) return giveUpHost(run, place, reason, 'given_up')
  rest(run, place, backOffAfter(place.failures, manners))
}

function leaveBusy(run: Run, place: HostPlace, item: Item, retryAfter: string | undefined): void {
  place.failures++
  const wait = busyAfter(place.failures, retryAfter, run.deps.clock.now())
  rest(run, place, wait)
  if (wait > WAIT_MAX_MS || place.failures >= HOST_FAILURES_MAX) giveUpHost(run, place, 'busy', 'given_up')
  else retryItem(run, place, item)
}

function retryItem(run: Run, place: HostPlace, item: Item): void {
  run.frontier.retry(item)
  place.waiting++
}

/** The host is not asked for so long from now; a longer rest that was set before stands. */
function rest(run: Run, place: HostPlace, ms: number): void {
  place.nextAt = Math.max(place.nextAt, run.deps.clock.now() + ms)
}

function mannersOf(run: Run, origin: string, robots: RobotsRules | undefined): Manners {
  const own = findExemption(origin, run.guard) !== undefined
  const delay = robots?.crawlDelayMs === undefined || own ? {} : { crawlDelayMs: robots.crawlDelayMs }
  return { delayMs: own ? 0 : run.deps.options.delayMs, ...delay }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
