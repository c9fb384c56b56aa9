/** Milliseconds, from any beginning: of one thread the processor's, which a busy machine leaves as they are; of several the clock's. */
export function readClock(threads: number): number {
  if (threads > 1) return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
