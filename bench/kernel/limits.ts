import type { Kernel } from '../../src/engine/ggml/kernel.ts'

/** Far larger than any cache. */
const READ_BYTES = 2 ** 29
const ROUNDS = 5

/** What no product on one thread can exceed: the dot-product instruction alone, times 2, and what memory gives. */
export type Limits = { peakGflops: number; readGbytes: number }

/** The best of some rounds, by processor time. */
export function measureLimits(kernel: Kernel): Limits {
  const bytes = new Uint8Array(READ_BYTES).fill(1)
  let [peakGflops, readGbytes] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    let done = 0
    const seconds = secondsOf(() => (done = kernel.peak(3_000_000)))
    peakGflops = Math.max(peakGflops, (2 * done) / seconds / 1e9)
    readGbytes = Math.max(readGbytes, READ_BYTES / secondsOf(() => kernel.read(bytes)) / 1e9)
  }
  return { peakGflops, readGbytes }
}

function secondsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
