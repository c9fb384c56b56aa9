import type { Account } from '../accounts/admin.ts'
import { UserError, WRONG_USE, type Call, type Command } from './command.ts'
import { accepted, withAdmin } from './open-admin.ts'
import { PLACE_FLAGS } from './open-config.ts'
import { renderTable } from './terminal.ts'

const FLAGS = { json: { help: 'The outcome as JSON' }, ...PLACE_FLAGS }

export const accounts: Command = {
  actions: {
    create: {
      summary: 'Create a verified account',
      words: '--name NAME [flags]',
      flags: {
        name: { value: 'NAME', help: 'Unique name' },
        package: { value: 'PACKAGE', help: 'Its limits, see "unmask packages list" (default: free)' },
        ...FLAGS,
      },
      notes:
        'Its identity counts as verified by you, the operator. Then give it a key: unmask keys create --account NAME.',
      examples: ['unmask accounts create --name acme --package free', 'unmask accounts create --name acme --json'],
      run: createAccount,
    },
    list: {
      summary: 'List accounts',
      flags: FLAGS,
      examples: ['unmask accounts list', 'unmask accounts list --json'],
      run: listAccounts,
    },
    move: {
      summary: 'Give an account another package',
      words: 'ID --package PACKAGE [flags]',
      wordsMin: 1,
      flags: { package: { value: 'PACKAGE', help: 'See "unmask packages list"' }, ...FLAGS },
      examples: ['unmask accounts move acme --package team'],
      run: moveAccount,
    },
    suspend: {
      summary: 'Refuse all keys of an account, at once',
      words: 'ID [flags]',
      wordsMin: 1,
      flags: FLAGS,
      examples: ['unmask accounts suspend acme'],
      run: (call) => suspend(call, true),
    },
    resume: {
      summary: 'Let the keys of a suspended account work again',
      words: 'ID [flags]',
      wordsMin: 1,
      flags: FLAGS,
      examples: ['unmask accounts resume acme'],
      run: (call) => suspend(call, false),
    },
  },
}

async function createAccount(call: Call): Promise<number> {
  const name = call.text('name')
  if (name === undefined) throw new UserError('accounts create needs --name NAME, e.g. --name acme.', WRONG_USE)
  return withAdmin(call, { mayBegin: true }, async (admin) => {
    const { account } = accepted(await admin.createAccount({ name, package: call.text('package') ?? 'free' }))
    tellAccount(call, account, `Created ${account.id} (${account.name}, package ${account.package}).`)
    return 0
  })
}

async function listAccounts(call: Call): Promise<number> {
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const listed = await admin.listAccounts()
    if (call.on('json')) call.terminal.say(JSON.stringify(listed, null, 2))
    else
      call.terminal.say(
        renderTable([['ID', 'NAME', 'PACKAGE', 'IDENTITY', 'STATE', 'SINCE'], ...listed.map((one) => toRow(one))]),
      )
    return 0
  })
}

function toRow(account: Account): string[] {
  const identity =
    account.identityMethod === undefined ? account.identity : `${account.identity} by ${account.identityMethod}`
  const state = account.suspendedAt === undefined ? 'active' : 'suspended'
  return [
    account.id,
    account.name,
    account.package,
    identity,
    state,
    new Date(account.createdAt).toISOString().slice(0, 10),
  ]
}

async function moveAccount(call: Call): Promise<number> {
  const name = call.text('package')
  if (name === undefined) throw new UserError('accounts move needs --package PACKAGE.', WRONG_USE)
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const { account } = accepted(await admin.setAccountPackage({ account: call.words[0] ?? '', package: name }))
    tellAccount(call, account, `${account.name} has the package ${account.package} now.`)
    return 0
  })
}

async function suspend(call: Call, suspended: boolean): Promise<number> {
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const { account } = accepted(await admin.setSuspended({ account: call.words[0] ?? '', suspended }))
    tellAccount(
      call,
      account,
      `${account.name} is ${suspended ? 'suspended: its keys are refused from now on.' : 'active again.'}`,
    )
    return 0
  })
}

function tellAccount(call: Call, account: Account, sentence: string): void {
  call.terminal.say(call.on('json') ? JSON.stringify(account) : sentence)
}
