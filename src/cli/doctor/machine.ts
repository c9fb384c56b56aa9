import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'

export type Machine = {
  platform: string
  processor: string
  cores: number
  /** Cores that the control group grants; undefined where it sets no bound. */
  cgroupCores: number | undefined
  /** Of those that matter for matrix products; empty where the system does not tell them. */
  instructionSets: string[]
  memoryBytes: number
}

/** Named as Linux names them, from the oldest to the newest. */
const SETS = [
  'avx',
  'f16c',
  'fma',
  'avx2',
  'avx_vnni',
  'avx512f',
  'avx512bw',
  'avx512_vnni',
  'avx512_bf16',
  'amx_int8',
  'amx_bf16',
]
const SETS_ARM = ['asimd', 'asimdhp', 'asimddp', 'i8mm', 'bf16', 'sve', 'sve2']

export function inspectMachine(): Machine {
  return {
    platform: `${process.platform}-${process.arch}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    cgroupCores: parseCgroupShare(tryRead('/sys/fs/cgroup/cpu.max'), readVersion1()),
    instructionSets: parseInstructionSets(tryRead('/proc/cpuinfo')),
    memoryBytes: totalmem(),
  }
}

/** `cpu.max` of control groups v2 is "quota period" or "max period" (microseconds); v1 has both in files, -1 for no bound. */
export function parseCgroupShare(version2: string, version1: string): number | undefined {
  const [quota, period] = (version2.trim() === '' ? version1 : version2).trim().split(/\s+/).map(Number)
  if (quota === undefined || period === undefined || !(quota > 0) || !(period > 0)) return undefined
  return Math.round((quota / period) * 100) / 100
}

export function parseInstructionSets(cpuinfo: string): string[] {
  const flags = new Set(/^(?:flags|Features)\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/))
  return [...SETS, ...SETS_ARM].filter((name) => flags.has(name))
}

function readVersion1(): string {
  const folder = '/sys/fs/cgroup/cpu'
  return `${tryRead(`${folder}/cpu.cfs_quota_us`).trim()} ${tryRead(`${folder}/cpu.cfs_period_us`).trim()}`
}

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not this system, or not allowed: then it is not told.
    return ''
  }
}
