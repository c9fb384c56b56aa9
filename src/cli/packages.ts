import type { Scope } from '../accounts/accounts.ts'
import type { LimitSet, Package } from '../accounts/admin.ts'
import { UserError, WRONG_USE, type Call, type Command, type Flag } from './command.ts'
import { accepted, withAdmin } from './open-admin.ts'
import { PLACE_FLAGS } from './open-config.ts'
import { renderTable } from './terminal.ts'

const FLAGS = { json: { help: 'The outcome as JSON' }, ...PLACE_FLAGS }
const SCOPES: readonly Scope[] = ['chat', 'search']

/** What a new package begins with, so that naming one number is enough. */
const BEGINNING: LimitSet = { minute: 20, day: 1000, concurrent: 2 }

export const packages: Command = {
  actions: {
    list: {
      summary: 'List packages with their limits',
      flags: FLAGS,
      examples: ['unmask packages list', 'unmask packages list --json'],
      run: listPackages,
    },
    set: {
      summary: 'Create a package, or change its limits',
      words: 'NAME [flags]',
      wordsMin: 1,
      flags: { ...limitFlags('chat'), ...limitFlags('search'), ...FLAGS },
      notes: `A limit that is not named stays as it is. A new package begins with ${BEGINNING.minute} a minute, ${BEGINNING.day} a day, ${BEGINNING.concurrent} at once.`,
      examples: [
        'unmask packages set team --chat-minute 60 --chat-day 10000 --chat-concurrent 8',
        'unmask packages set team --search-day none',
      ],
      run: setPackage,
    },
  },
}

function limitFlags(scope: Scope): Record<string, Flag> {
  return {
    [`${scope}-minute`]: { value: 'N', help: `${scope} calls a minute, or none for no limit` },
    [`${scope}-day`]: { value: 'N', help: `${scope} calls a day, or none for no limit` },
    [`${scope}-concurrent`]: { value: 'N', help: `${scope} calls at once` },
  }
}

async function listPackages(call: Call): Promise<number> {
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const listed = await admin.listPackages()
    if (call.on('json')) call.terminal.say(JSON.stringify(listed, null, 2))
    else
      call.terminal.say(
        renderTable([['PACKAGE', 'FOR', 'A MINUTE', 'A DAY', 'AT ONCE'], ...listed.flatMap((one) => toRows(one))]),
      )
    return 0
  })
}

function toRows({ name, limits }: Package): string[][] {
  return SCOPES.map((scope, i) => {
    const { minute = 'no limit', day = 'no limit', concurrent } = limits[scope]
    return [i === 0 ? name : '', scope, String(minute), String(day), String(concurrent)]
  })
}

async function setPackage(call: Call): Promise<number> {
  const name = call.words[0] ?? ''
  return withAdmin(call, { mayBegin: true }, async (admin) => {
    const before = (await admin.listPackages()).find((one) => one.name === name)?.limits
    const limits = { chat: changed(call, 'chat', before?.chat), search: changed(call, 'search', before?.search) }
    const outcome = accepted(await admin.setPackage({ name, limits }))
    if (call.on('json')) call.terminal.say(JSON.stringify(outcome.package))
    else call.terminal.say(`${outcome.kind === 'created' ? 'Created' : 'Changed'} the package ${name}.`)
    return 0
  })
}

function changed(call: Call, scope: Scope, before: LimitSet = BEGINNING): LimitSet {
  const read = (limit: string): number | undefined => parseLimit(`--${scope}-${limit}`, call.text(`${scope}-${limit}`))
  const named = (limit: string): boolean => call.text(`${scope}-${limit}`) !== undefined
  return {
    minute: named('minute') ? read('minute') : before.minute,
    day: named('day') ? read('day') : before.day,
    concurrent: read('concurrent') ?? before.concurrent,
  }
}

function parseLimit(flag: string, text: string | undefined): number | undefined {
  const mayBeNone = !flag.endsWith('-concurrent')
  if (text === undefined || (text === 'none' && mayBeNone)) return undefined
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UserError(`${flag} is ${text}; allowed: a whole number from 1${mayBeNone ? ', or none' : ''}.`, WRONG_USE)
}
