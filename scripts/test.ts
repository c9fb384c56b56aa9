/** `npm test`: the fast suites. `npm test -- --all` adds the slow ones; other words name files (globs). */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const words = process.argv.slice(2)
const all = words.includes('--all')
const files = words.filter((word) => !word.startsWith('--'))
const globs =
  files.length > 0 ? files : ['src/**/*.test.ts', 'test/fast/**/*.test.ts', ...(all ? ['test/slow/**/*.test.ts'] : [])]
const run = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-reporter=spec', '--test-timeout=300000', ...globs],
  { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile') } },
)
process.exit(run.status ?? 1)
