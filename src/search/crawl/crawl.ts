import { setTimeout as setTimer } from 'node:timers/promises'
import type { HostPlace } from './host-line.ts'
import type { Run } from './run-state.ts'
import { visitHost } from './visit-host.ts'

export type CrawlStop = 'empty' | 'pages_max' | 'aborted'

/**
 * The loop: next host, one step there (address, robots.txt or a URL), what came of it, until nothing waits, enough pages
 * are kept, or the signal says stop. Steps at different hosts overlap; a failure that is no site's fault ends the run.
 */
export async function crawl(run: Run): Promise<CrawlStop> {
  const running = new Set<Promise<void>>()
  const bell = new Bell()
  const faults: unknown[] = []
  const start = (place: HostPlace): void => {
    const task = step(run, place, () => bell.ring())
      .catch((error: unknown) => {
        faults.push(error)
      })
      .finally(() => {
        running.delete(task)
        bell.ring()
      })
    running.add(task)
  }
  const stop = (): void => bell.ring()
  run.signal.addEventListener('abort', stop, { once: true })
  while (!run.signal.aborted && faults.length === 0) {
    // Before looking around, so that what happens meanwhile is not missed.
    const rung = bell.next()
    const { kept } = run.frontier.totals(run.id)
    const room = kept + running.size < run.job.pagesMax && running.size < run.deps.options.concurrency
    const place = room ? run.line.nextReady(run.deps.clock.now()) : undefined
    if (place !== undefined) start(place)
    else if (running.size === 0 && (kept >= run.job.pagesMax || run.line.isEmpty())) break
    else await waitForNext(run, rung, room)
  }
  await Promise.all(running)
  run.signal.removeEventListener('abort', stop)
  if (faults.length > 0) throw faults[0]
  if (run.signal.aborted) return 'aborted'
  return run.frontier.totals(run.id).kept >= run.job.pagesMax ? 'pages_max' : 'empty'
}

/** The host is free again as soon as its answer is there; reading and keeping the page goes on beside. */
async function step(run: Run, place: HostPlace, ring: () => void): Promise<void> {
  const claimed = place.address
  run.line.claim(place)
  const after = await visitHost(run, place).finally(() => run.line.release(place, claimed))
  ring()
  await after?.()
}

/** Until a step has ended, or the next host is due. */
async function waitForNext(run: Run, rung: Promise<void>, room: boolean): Promise<void> {
  const nextAt = room ? run.line.nextAt() : undefined
  if (nextAt === undefined) return rung
  const over = new AbortController()
  const sleep = run.deps.sleep ?? sleepFor
  await Promise.race([rung, sleep(Math.max(1, nextAt - run.deps.clock.now()), over.signal)])
  over.abort()
}

async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  await setTimer(ms, undefined, { signal }).catch(() => undefined)
}

/** Wakes everybody who waits for the next ring. */
class Bell {
  #next = Promise.withResolvers<void>()

  ring(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers<void>()
  }

  next(): Promise<void> {
    return this.#next.promise
  }
}
