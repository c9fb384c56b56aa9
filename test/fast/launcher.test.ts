/** The program as people call it: from any folder, through a link, on the Node of the installation. */
import { equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'unmask')
const scratch = mkdtempSync(join(tmpdir(), 'unmask-launcher-'))
after(() => rmSync(scratch, { recursive: true }))

type Run = { status: number; stdout: string; stderr: string }

function run(launcher: string, words: string[], cwd = scratch): Promise<Run> {
  return new Promise((resolve) => {
    execFile(launcher, words, { cwd }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

describe('the launcher', () => {
  test('runs on the Node of the installation, from any folder and through links', async () => {
    const links = join(scratch, 'a b')
    mkdirSync(links)
    symlinkSync(LAUNCHER, join(links, 'one'))
    symlinkSync('one', join(links, 'two'))
    const { stdout } = await run(join(links, 'two'), ['doctor', '--json'], '/')
    const { node, models } = JSON.parse(stdout) as { node: { version: string }; models: { bytes?: number }[] }
    match(node.version, /^v26\./)
    equal(
      models.every((model) => Number(model.bytes) > 0),
      true,
    )
  })

  test('hands over words, exit status, and what goes to stdout and stderr', async () => {
    const right = await run(LAUNCHER, ['--version'])
    match(right.stdout, /^\d+\.\d+\.\d+\n$/)
    equal(right.status, 0)
    const wrong = await run(LAUNCHER, ['sevre'])
    equal(wrong.stderr, 'unmask: there is no command sevre; did you mean serve?\nSee: unmask help\n')
    equal(wrong.stdout, '')
    equal(wrong.status, 2)
  })

  test('says what to do before npm ci', async () => {
    const bare = join(scratch, 'bare')
    mkdirSync(bare)
    writeFileSync(join(bare, 'unmask'), readFileSync(LAUNCHER))
    chmodSync(join(bare, 'unmask'), 0o755)
    const { status, stderr } = await run(join(bare, 'unmask'), ['help'])
    equal(status, 1)
    match(stderr, /Run 'npm ci' in .*bare first/)
  })
})
