/** Child processes by what the kernel tells (Linux), so that a test kills just the one it means. */
import { readFileSync, readdirSync } from 'node:fs'

/** Pids of the direct children of `pid` whose command line holds `words`. */
export function childrenOf(pid: number, words: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid && commandOf(child).includes(words))
}

export function isRunning(pid: number): boolean {
  const state = read(`/proc/${pid}/stat`).split(') ')[1]?.[0]
  return state !== undefined && state !== 'Z'
}

function parentOf(pid: number): number {
  return Number(read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1])
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
