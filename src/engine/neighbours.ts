import { readFileSync } from 'node:fs'

/** What Linux tells at one moment, in milliseconds of processor time since it started. */
export type Reading = { at: number; busyMs: number; ownMs: number }

/** How busy other processes keep the cores that this one may use. */
export class Neighbours {
  #last: Reading | undefined

  /** Cores that others have used since the last call, averaged; undefined at the first call and where the system does not tell. */
  look(): number | undefined {
    const now = read()
    const before = this.#last
    this.#last = now
    return now === undefined || before === undefined ? undefined : othersBetween(before, now)
  }
}

/** Cores that others used between two readings: none where the clocks' grain says less than none. */
export function othersBetween(before: Reading, now: Reading): number {
  const others = now.busyMs - before.busyMs - (now.ownMs - before.ownMs)
  return Math.max(0, others / Math.max(1, now.at - before.at))
}

function read(): Reading | undefined {
  try {
    const allowed = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    const busyMs = sumBusyMs(readFileSync('/proc/stat', 'utf8'), allowed)
    const { user, system } = process.cpuUsage()
    return { at: performance.now(), busyMs, ownMs: (user + system) / 1000 }
  } catch {
    // Not Linux: nothing is known of others.
    return undefined
  }
}

/** /proc/stat counts in ticks of this length (USER_HZ) on all platforms that Node runs on. */
const TICK_MS = 10

/** Busy time of the cores in a list such as `0-3,8`, by the text of /proc/stat (proc_stat(5)); stolen time counts, waiting for a disk does not. */
export function sumBusyMs(stat: string, allowed: string): number {
  const cores = new Set(allowed.split(',').flatMap(coresOf))
  let ticks = 0
  for (const [, core, counts] of stat.matchAll(/^cpu(\d+) (.+)$/gm)) {
    if (!cores.has(Number(core))) continue
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = (counts ?? '').split(' ').map(Number)
    ticks += user + nice + system + irq + softIrq + steal
  }
  return ticks * TICK_MS
}

function coresOf(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
