import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Ends by itself when its parent is gone. */
const SPIN = `const parent = process.ppid
for (let i = 0; ; i++) if (i % 1e7 === 0 && process.ppid !== parent) process.exit()`

/** So many processes that want a core each, until the returned call. */
export function startSpinners(count: number): () => Promise<void> {
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['-e', SPIN], { stdio: 'ignore' }))
  return async () => {
    const ends = children.map((child) => once(child, 'exit'))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ends)
  }
}
