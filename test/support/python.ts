import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const REQUIREMENTS = join(ROOT, 'test/python/requirements.txt')

/** A Python with the pinned packages of test/python/requirements.txt; made once, below node_modules/.cache/python. */
export function pythonPath(): string {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12)
  const folder = join(ROOT, 'node_modules/.cache/python', digest)
  const python = join(folder, 'bin/python')
  const done = join(folder, 'installed')
  if (!existsSync(done)) alone(`${folder}.lock`, () => existsSync(done) || install(folder, python, done))
  return python
}

function install(folder: string, python: string, done: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS]
  execFileSync(python, pip, { stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(done, '')
}

/** Test files run beside each other: one of them makes what all use, the others wait. */
function alone(lock: string, work: () => unknown): void {
  mkdirSync(dirname(lock), { recursive: true })
  while (!taken(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  try {
    work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** A lock older than ten minutes belongs to a process that was killed. */
function taken(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > 600_000) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

/** Runs a script of test/python with JSON on its standard input; what it prints, parsed. */
export function askPython(script: string, words: readonly string[], given: unknown): unknown {
  const out = execFileSync(pythonPath(), [join(ROOT, 'test/python', script), ...words], {
    input: JSON.stringify(given),
    encoding: 'utf8',
    maxBuffer: 2 ** 29,
    env: { ...process.env, PYTHONUTF8: '1' },
  })
  return out === '' ? undefined : JSON.parse(out)
}
