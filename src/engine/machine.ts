import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import type { ModelSpec } from './model/spec.ts'

/** Cores this process may use: its affinity, and its control group's share rounded down, at least 1. */
export function countCores(): number {
  const [quota, period] = readFirst('/sys/fs/cgroup/cpu.max').split(' ')
  const share = Number(quota) / Number(period)
  return Math.max(
    1,
    Number.isFinite(share) ? Math.min(availableParallelism(), Math.floor(share)) : availableParallelism(),
  )
}

/** Bytes of memory this process may use: the machine's, or its control group's where that is less. */
export function measureMemory(): number {
  const limit = Number(readFirst('/sys/fs/cgroup/memory.max'))
  return Number.isFinite(limit) && limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

function readFirst(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    // Not Linux, or no control group of the second version: there is no limit to read.
    return ''
  }
}

/** No default is larger: sixteen conversations of 2,000 tokens. */
const CELLS_MAX = 32_768
const MEMORY_SHARE = 1 / 16
const BYTES_A_NUMBER = 2

/** Cells of a model's cache: what was wished, or a share of the memory, but always one whole window. */
export function decideCells(wish: number | 'auto', spec: ModelSpec, memoryBytes: number): number {
  if (wish !== 'auto') return wish
  const bytesACell = spec.layers * spec.kvHeads * spec.headWidth * 2 * BYTES_A_NUMBER
  const share = Math.floor((memoryBytes * MEMORY_SHARE) / bytesACell)
  const window = spec.contextTokens + 2 * spec.blockSize + 32
  return Math.max(window, Math.min(CELLS_MAX, share))
}
