import { readFileSync } from 'node:fs'

/** Cores that a process may use, and milliseconds of processor time that were spent on them since Linux started. */
export type Busy = { cores: number; busyMs: number }
/** The same at one moment, and what this process spent of it. */
export type Reading = Busy & { at: number; ownMs: number }

/** What other processes leave free of the cores that this one may use. */
export class Neighbours {
  #last: Reading | undefined

  /** Cores that others have left free since the last call, averaged; undefined at the first call and where the system does not tell. */
  look(): number | undefined {
    const now = read()
    const before = this.#last
    this.#last = now
    return now === undefined || before === undefined ? undefined : freeBetween(before, now)
  }
}

/** Cores that others left free between two readings: all of them where the clocks' grain says more than all. */
export function freeBetween(before: Reading, now: Reading): number {
  const others = now.busyMs - before.busyMs - (now.ownMs - before.ownMs)
  return now.cores - Math.max(0, others / Math.max(1, now.at - before.at))
}

function read(): Reading | undefined {
  try {
    const allowed = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    const busy = sumBusy(readFileSync('/proc/stat', 'utf8'), allowed)
    const { user, system } = process.cpuUsage()
    // A container may number its cores otherwise than the machine does.
    return busy.cores === 0 ? undefined : { ...busy, at: performance.now(), ownMs: (user + system) / 1000 }
  } catch {
    // Not Linux: nothing is known of others.
    return undefined
  }
}

/** /proc/stat counts in ticks of this length (USER_HZ) on all platforms that Node runs on. */
const TICK_MS = 10

/** The cores in a list such as `0-3,8`, by the text of /proc/stat (proc_stat(5)); stolen time counts, waiting for a disk does not. */
export function sumBusy(stat: string, allowed: string): Busy {
  const listed = new Set(allowed.split(',').flatMap(coresOf))
  let [cores, ticks] = [0, 0]
  for (const [, core, counts] of stat.matchAll(/^cpu(\d+) (.+)$/gm)) {
    if (!listed.has(Number(core))) continue
    cores++
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = (counts ?? '').split(' ').map(Number)
    ticks += user + nice + system + irq + softIrq + steal
  }
  return { cores, busyMs: ticks * TICK_MS }
}

function coresOf(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
