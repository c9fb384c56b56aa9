/** `npm run check`: format, lint, types, imports, docs, unused. Runs all of them and tells each one's end. */
import { spawnSync } from 'node:child_process'

const CHECKS: [name: string, command: string, ...args: string[]][] = [
  ['format', 'oxfmt', '--check'],
  ['lint', 'oxlint', '--deny-warnings'],
  ['types', 'tsc', '-p', '.'],
  ['imports', 'node', 'scripts/check-imports.ts'],
  ['docs', 'node', 'scripts/check-docs.ts'],
  ['unused', 'knip'],
]

let failed = 0
for (const [name, command, ...args] of CHECKS) {
  const startedAt = performance.now()
  const run = spawnSync(command, args, { encoding: 'utf8' })
  const ok = run.status === 0
  if (!ok) {
    failed++
    process.stdout.write(`${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}\n`)
  }
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${Math.round(performance.now() - startedAt)} ms)\n`)
}
process.exit(failed === 0 ? 0 : 1)
