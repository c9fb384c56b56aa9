import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { UserError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { dispatch } from './dispatch.ts'

const root = join(import.meta.dirname, '..', '..')
const scratch = mkdtempSync(join(tmpdir(), 'unmask-cli-'))
after(() => rmSync(scratch, { recursive: true }))

type Run = { status: number; stdout: string; stderr: string }

/** As `unmask.ts` does it, with a terminal that remembers. */
async function run(words: string[], { env = {} }: { env?: Record<string, string> } = {}): Promise<Run> {
  const seen: Run = { status: 0, stdout: '', stderr: '' }
  const terminal = {
    say: (text: string) => void (seen.stdout += `${text}\n`),
    tell: (text: string) => void (seen.stderr += `${text}\n`),
    isTerminal: false,
    paint: (_: unknown, text: string) => text,
    progress: () => {},
  }
  try {
    seen.status = await dispatch(words, COMMANDS, { terminal, environment: env, root, folder: scratch })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    terminal.tell(`unmask: ${error.message}`)
    seen.status = error.code
  }
  return seen
}

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
    [['keys', 'revoke'], /keys revoke needs ID\./],
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
