import type { Scope } from '../accounts/accounts.ts'
import type { KeyListing } from '../accounts/admin.ts'
import { parseDurationMs } from '../lib/duration.ts'
import { UserError, WRONG_USE, type Call, type Command } from './command.ts'
import { accepted, withAdmin } from './open-admin.ts'
import { PLACE_FLAGS } from './open-config.ts'
import { renderTable } from './terminal.ts'

const JSON_FLAG = { json: { help: 'The outcome as JSON' } }

export const keys: Command = {
  actions: {
    create: {
      summary: 'Create an API key and show it once',
      words: '--name NAME [flags]',
      flags: {
        name: { value: 'NAME', help: 'What the key is called in lists' },
        account: { value: 'ID', help: 'Whose key it is: id or name of an account (default: the local operator)' },
        scopes: { value: 'LIST', help: 'chat, search or both with a comma (default: both)' },
        expires: { value: 'WHEN', help: 'A time from now (12h, 30d) or a date (2027-01-31, 2027-01-31T12:00Z)' },
        addresses: { value: 'LIST', help: 'Addresses and CIDR ranges it may be used from (default: anywhere)' },
        'out-of-range': { value: 'HOW', help: 'reject or clamp: this key’s own outOfRangeSampling' },
        ...JSON_FLAG,
        ...PLACE_FLAGS,
      },
      notes:
        'The key is shown on stdout and kept nowhere. With --json: {"id":…,"key":…}. Works beside a running server.',
      examples: [
        'unmask keys create --name laptop',
        'unmask keys create --name ci --scopes chat --expires 30d --json',
        'unmask keys create --name office --addresses 192.0.2.0/24,2001:db8::/32',
      ],
      run: createKey,
    },
    list: {
      summary: 'List keys, the newest last',
      words: '[flags]',
      flags: { account: { value: 'ID', help: 'Only of this account (id or name)' }, ...JSON_FLAG, ...PLACE_FLAGS },
      examples: ['unmask keys list', 'unmask keys list --account acme --json'],
      run: listKeys,
    },
    revoke: {
      summary: 'End a key at once',
      words: 'ID [flags]',
      wordsMin: 1,
      flags: { ...JSON_FLAG, ...PLACE_FLAGS },
      notes: 'A reply that is running ends normally; the next call with the key is answered with 401.',
      examples: ['unmask keys revoke key_0123456789abcdef'],
      run: revokeKey,
    },
    rotate: {
      summary: 'Give a key a new secret under the same id, and show it once',
      words: 'ID [flags]',
      wordsMin: 1,
      flags: {
        overlap: { value: 'TIME', help: 'How long the old secret still works: 0, 15m, 12h, 30d (default 24h)' },
        ...JSON_FLAG,
        ...PLACE_FLAGS,
      },
      examples: ['unmask keys rotate key_0123456789abcdef', 'unmask keys rotate key_0123456789abcdef --overlap 0'],
      run: rotateKey,
    },
  },
}

async function createKey(call: Call): Promise<number> {
  const name = call.text('name')
  if (name === undefined) throw new UserError('keys create needs --name NAME, e.g. --name laptop.', WRONG_USE)
  const account = call.text('account')
  const scopes = call.text('scopes')
  const addresses = call.text('addresses')
  const outOfRange = call.text('out-of-range')
  if (outOfRange !== undefined && outOfRange !== 'reject' && outOfRange !== 'clamp') {
    throw new UserError(`--out-of-range is ${outOfRange}; allowed: reject, clamp.`, WRONG_USE)
  }
  const expires = call.text('expires')
  return withAdmin(call, { mayBegin: true }, async (admin) => {
    const outcome = await admin.createKey({
      name,
      ...(account === undefined ? {} : { account }),
      // Which words are scopes is for the accounts part to say.
      ...(scopes === undefined ? {} : { scopes: splitList(scopes) as Scope[] }),
      ...(addresses === undefined ? {} : { addresses: splitList(addresses) }),
      ...(outOfRange === undefined ? {} : { outOfRangeSampling: outOfRange }),
      ...(expires === undefined ? {} : { expiresAt: parseMoment(expires, Date.now()) }),
    })
    const { key, secret } = accepted(outcome)
    tellSecret(call, key.id, secret, 'It is kept nowhere: store it now.')
    return 0
  })
}

async function listKeys(call: Call): Promise<number> {
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const listed = await admin.listKeys(call.text('account'))
    if (call.on('json'))
      call.terminal.say(
        JSON.stringify(
          listed.map((one) => ({ ...one.key, account: one.account })),
          null,
          2,
        ),
      )
    else if (listed.length === 0) call.terminal.say('There is no key yet. Make one: unmask keys create --name NAME')
    else call.terminal.say(renderTable([HEAD, ...listed.map((one) => toRow(one, Date.now()))]))
    return 0
  })
}

const HEAD = ['ID', 'NAME', 'ACCOUNT', 'SCOPES', 'KEY', 'STATE', 'LAST USED']

function toRow({ key, account }: KeyListing, now: number): string[] {
  const expired = key.expiresAt !== undefined && key.expiresAt <= now
  const until = key.expiresAt === undefined ? 'valid' : `${expired ? 'expired' : 'until'} ${day(key.expiresAt)}`
  const state = key.revokedAt === undefined ? until : `revoked ${day(key.revokedAt)}`
  const used =
    key.lastUsedAt === undefined ? 'never' : new Date(key.lastUsedAt).toISOString().slice(0, 16).replace('T', ' ')
  return [key.id, key.name, account, key.scopes.join(','), key.hint, state, used]
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

async function revokeKey(call: Call): Promise<number> {
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const { key } = accepted(await admin.revokeKey({ id: call.words[0] ?? '' }))
    call.terminal.say(
      call.on('json') ? JSON.stringify({ id: key.id, revokedAt: key.revokedAt }) : `Revoked ${key.id} (${key.name}).`,
    )
    return 0
  })
}

async function rotateKey(call: Call): Promise<number> {
  const overlap = call.text('overlap')
  const overlapMs = overlap === undefined ? undefined : parseDurationMs(overlap)
  if (overlap !== undefined && overlapMs === undefined) {
    throw new UserError(`--overlap is ${overlap}; allowed: 0, or a time such as 15m, 12h, 30d.`, WRONG_USE)
  }
  return withAdmin(call, { mayBegin: false }, async (admin) => {
    const wish = { id: call.words[0] ?? '', ...(overlapMs === undefined ? {} : { overlapMs }) }
    const { key, secret, overlapUntil } = accepted(await admin.rotateKey(wish))
    const old =
      overlapMs === 0 ? 'works no longer' : `works until ${new Date(overlapUntil).toISOString().slice(0, 16)}Z`
    tellSecret(call, key.id, secret, `It is kept nowhere: store it now. The old secret ${old}.`)
    return 0
  })
}

/** The secret alone on stdout, so that `key=$(unmask keys create …)` works; the rest on stderr. */
function tellSecret(call: Call, id: string, secret: string, remark: string): void {
  if (call.on('json')) return call.terminal.say(JSON.stringify({ id, key: secret }))
  call.terminal.say(secret)
  call.terminal.tell(`${id}. ${remark}`)
}

/** Epoch ms of a time from now or of a date (UTC where it names no zone). */
export function parseMoment(text: string, now: number): number {
  const durationMs = parseDurationMs(text)
  if (durationMs !== undefined) return now + durationMs
  const shape = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text)
  const at =
    shape === null ? Number.NaN : Date.parse(shape[1] !== undefined && shape[3] === undefined ? `${text}Z` : text)
  // Date.parse takes February 30th for March 2nd.
  if (Number.isNaN(at) || !isRealDay(text)) {
    throw new UserError(
      `--expires is ${text}; allowed: a time from now (12h, 30d) or a date (2027-01-31, 2027-01-31T12:00Z).`,
      WRONG_USE,
    )
  }
  return at
}

function isRealDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

function splitList(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}
