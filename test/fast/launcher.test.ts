/** The program as people call it: from any folder, through a link, with every --help, and with slips. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { COMMANDS } from '../../src/cli/commands.ts'

const LAUNCHER = join(import.meta.dirname, '..', '..', 'unmask')
const scratch = mkdtempSync(join(tmpdir(), 'unmask-cli-'))
after(() => rmSync(scratch, { recursive: true }))

type Run = { status: number; stdout: string; stderr: string }

function run(
  words: string[],
  options: { launcher?: string; cwd?: string; env?: Record<string, string> } = {},
): Promise<Run> {
  const { launcher = LAUNCHER, cwd = scratch, env = {} } = options
  return new Promise((resolve) => {
    const environment = { ...process.env, ...env }
    execFile(launcher, words, { cwd, env: environment }, (error, stdout, stderr) => {
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
    for (const launcher of [LAUNCHER, join(links, 'one'), join(links, 'two')]) {
      const { status, stdout } = await run(['doctor', '--json'], { launcher, cwd: '/' })
      ok(status === 0 || status === 1)
      match((JSON.parse(stdout) as { node: { version: string } }).node.version, /^v26\./)
    }
  })

  test('says what to do before npm ci', async () => {
    const bare = join(scratch, 'bare')
    mkdirSync(bare)
    writeFileSync(join(bare, 'unmask'), readFileSync(LAUNCHER))
    chmodSync(join(bare, 'unmask'), 0o755)
    const { status, stderr } = await run(['help'], { launcher: join(bare, 'unmask') })
    equal(status, 1)
    match(stderr, /Run 'npm ci' in .*bare first/)
  })
})

describe('every command explains itself', async () => {
  const actions: string[][] = []
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const command = await load()
    actions.push([name], ...('actions' in command ? Object.keys(command.actions).map((word) => [name, word]) : []))
  }
  for (const words of actions) {
    test(`unmask ${words.join(' ')} --help`, async () => {
      const [{ status, stdout, stderr }, second] = await Promise.all([
        run([...words, '--help']),
        run(['help', ...words]),
      ])
      equal(status, 0)
      equal(stderr, '')
      match(stdout, new RegExp(`^unmask ${words.join(' ')}: .*\\n\\nUsage: unmask ${words.join(' ')}`))
      match(stdout, /\nExamples:\n {2}unmask /)
      equal(second.stdout, stdout)
    })
  }
  test('unmask help lists all of them', async () => {
    const { stdout } = await run([])
    for (const name of Object.keys(COMMANDS)) match(stdout, new RegExp(`\\n {2}${name} `))
  })
  test('unmask --version', async () => match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/))
})

describe('wrong use is a sentence, the nearest known word, and status 2', () => {
  const cases: [words: string[], told: RegExp][] = [
    [['sevre'], /^unmask: there is no command sevre; did you mean serve\?\nSee: unmask help\n$/],
    [['xyzzy'], /^unmask: there is no command xyzzy\nSee: unmask help\n$/],
    [['keys', 'lst'], /there is no "keys" command lst; did you mean list\?/],
    [['serve', '--prot', '1'], /there is no flag of serve --prot; did you mean --port\?/],
    [['serve', '--port'], /serve: .*--port.* argument missing/],
    [['serve', 'now'], /serve does not know what to do with "now"/],
    [['serve', '--port', 'abc'], /api\.port is "abc" \(--port\); allowed: a whole number from 0 to 65535\./],
    [['serve', '--set', 'api.prot=1'], /There is no setting api\.prot \(--set\); did you mean api\.port\?/],
    [['serve', '--set', 'x'], /--set x must have the form NAME=VALUE/],
    [['serve', '--config', 'none.json'], /there is no configuration file .*none\.json/],
    [['keys', 'create'], /keys create needs --name NAME/],
    [['keys', 'create', '--name', 'a', '--expires', '2027-02-30'], /--expires is 2027-02-30; allowed: /],
    [['keys', 'revoke'], /keys revoke needs a word more/],
    [['keys', 'rotate', 'key_x', '--overlap', 'soon'], /--overlap is soon; allowed: /],
    [['packages', 'set', 'a', '--chat-minute', '0'], /--chat-minute is 0; allowed: a whole number from 1, or none/],
    [['bench', 'chta'], /there is no bench chta; did you mean chat\?/],
    [['models', 'random', 'a.gguf'], /models random FILE --like SHAPE/],
  ]
  for (const [words, told] of cases) {
    test(`unmask ${words.join(' ')}`, async () => {
      const { status, stdout, stderr } = await run(words, { env: { UNMASK_DATA: join(scratch, 'wrong') } })
      match(stderr, told)
      equal(status, 2)
      equal(stdout, '')
    })
  }
})

describe('settings come from where the documentation says', () => {
  const level = async (words: string[], env: Record<string, string> = {}): Promise<string> => {
    const { stdout, stderr } = await run(['accounts', 'list', '--data', join(scratch, 'settings'), ...words], { env })
    return stdout + stderr
  }
  test('a wrong one is refused whatever its source, and the flag is believed last', async () => {
    const folder = join(scratch, 'settings')
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(join(folder, 'unmask.json'), '// ours\n{"log": {"level": "loud"},}')
    match(await level([]), /log\.level is "loud" \(.*unmask\.json\); allowed: debug, info, warn, error\./)
    writeFileSync(join(folder, 'unmask.json'), '{"accounts": {"zone": "UTC"}}')
    match(await level([], { UNMASK_ACCOUNTS_ZONE: '' }), /accounts\.zone is "" \(UNMASK_ACCOUNTS_ZONE\)/)
    match(await level([], { UNMASK_LOGLEVEL: 'x' }), /there is no data folder/)
  })
})

describe('keys, accounts and packages without a server', () => {
  const data = join(scratch, 'admin')
  const admin = (words: string[]): Promise<Run> => run([...words, '--data', data])

  test('a key can be made before the first start; the first key is kept for its owner alone', async () => {
    const { status, stdout, stderr } = await admin(['keys', 'create', '--name', 'early', '--json'])
    equal(status, 0, stderr)
    const made = JSON.parse(stdout) as { id: string; key: string }
    deepEqual(Object.keys(made), ['id', 'key'])
    match(made.key, /^um_live_[0-9A-Za-z]{36}$/)
    equal(statSync(join(data, 'first-key')).mode & 0o777, 0o600)
    equal(statSync(data).mode & 0o777, 0o700)
  })

  test('a key alone is on stdout, so that a shell can take it', async () => {
    const { stdout, stderr } = await admin([
      'keys',
      'create',
      '--name',
      'shell',
      '--scopes',
      'chat',
      '--expires',
      '30d',
    ])
    match(stdout, /^um_live_[0-9A-Za-z]{36}\n$/)
    match(stderr, /^key_\w+\. It is kept nowhere: store it now\.\n$/)
  })

  test('a key is listed without its secret, rotated, and revoked', async () => {
    const made = JSON.parse((await admin(['keys', 'create', '--name', 'life', '--json'])).stdout) as {
      id: string
      key: string
    }
    const turned = JSON.parse(
      (await admin(['keys', 'rotate', made.id, '--overlap', '0', '--json'])).stdout,
    ) as typeof made
    equal(turned.id, made.id)
    ok(turned.key !== made.key)
    match((await admin(['keys', 'revoke', made.id])).stdout, /^Revoked key_\w+ \(life\)\.\n$/)
    const { stdout } = await admin(['keys', 'list'])
    match(stdout, new RegExp(`${made.id} +life .* revoked \\d{4}`))
    ok(!stdout.includes(made.key) && !stdout.includes(turned.key))
  })

  test('an account has the package that was named, and its keys belong to it', async () => {
    match(
      (await admin(['packages', 'set', 'team', '--chat-minute', '60', '--search-day', 'none'])).stdout,
      /^Created the package team\.\n$/,
    )
    match((await admin(['packages', 'list'])).stdout, /team +chat +60 +1000 +2\n +search +20 +no limit +2/)
    match(
      (await admin(['accounts', 'create', '--name', 'acme', '--package', 'team'])).stdout,
      /^Created \w+ \(acme, package team\)\.\n$/,
    )
    equal((await admin(['keys', 'create', '--name', 'a', '--account', 'acme'])).status, 0)
    match((await admin(['accounts', 'list'])).stdout, /acme +team +verified by operator +active/)
    match((await admin(['accounts', 'suspend', 'acme'])).stdout, /acme is suspended/)
    const { status, stderr } = await admin(['keys', 'create', '--name', 'b', '--account', 'acme'])
    equal(status, 1)
    match(stderr, /^unmask: .*suspended/)
  })

  test('what is not there is told, and nothing is made by looking', async () => {
    const none = join(scratch, 'none')
    const { status, stderr } = await run(['keys', 'list', '--data', none])
    equal(status, 1)
    match(stderr, /^unmask: there is no data folder at .*none yet\./)
    ok(!existsSync(none))
    match((await admin(['keys', 'revoke', 'key_nobody'])).stderr, /^unmask: .*key_nobody/)
    match((await admin(['accounts', 'create', '--name', 'x', '--package', 'gold'])).stderr, /^unmask: .*gold/)
  })
})
