import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const REQUIREMENTS = join(ROOT, 'test/python/requirements.txt')

/** A Python with the pinned packages of test/python/requirements.txt; made once, below node_modules/.cache/python. */
export function pythonPath(): string {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12)
  const folder = join(ROOT, 'node_modules/.cache/python', digest)
  const python = join(folder, 'bin/python')
  const done = join(folder, 'installed')
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true })
    const venv = ['-m', 'venv', '--clear', folder]
    execFileSync('python3', venv, { stdio: ['ignore', 'ignore', 'inherit'] })
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', REQUIREMENTS]
    execFileSync(python, install, { stdio: ['ignore', 'ignore', 'inherit'] })
    writeFileSync(done, '')
  }
  return python
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
