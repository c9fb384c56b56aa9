import { Type } from 'typebox'
import type { Counter, KeyReport, Limits } from '../../accounts/accounts.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { keyOf } from '../permit.ts'

const counterSchema = Type.Union(
  [
    Type.Object({
      limit: Type.Integer(),
      remaining: Type.Integer(),
      reset_s: Type.Integer({ description: 'Seconds until it is full again.' }),
    }),
    Type.Null(),
  ],
  { description: 'null: no such limit.' },
)

const limitsSchema = Type.Object({
  minute: counterSchema,
  day: counterSchema,
  concurrent: Type.Object({ limit: Type.Integer(), running: Type.Integer() }),
})

const when = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const keyReportSchema = Type.Object({
  object: Type.Literal('key'),
  id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'Beginning and end of the key, to recognise it by.' }),
  scopes: Type.Array(Type.Enum(['chat', 'search'])),
  addresses: Type.Array(Type.String(), { description: 'Where the key may be used from; empty: anywhere.' }),
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  expires: when('Unix time in seconds; null: never.'),
  account: Type.Object({ id: Type.String(), name: Type.String(), package: Type.String() }),
  limits: Type.Object({ chat: limitsSchema, search: limitsSchema }),
  used_today: Type.Object({ chat: Type.Integer(), search: Type.Integer() }),
})

/** What a key may do and has done today. Spends nothing. */
export function handleKeyReport(call: Call, deps: Deps): Answer {
  return { kind: 'json', body: renderReport(deps.accounts.report(keyOf(call))) }
}

function renderReport({ key, account, limits, usedToday }: KeyReport) {
  return {
    object: 'key',
    id: key.id,
    name: key.name,
    hint: key.hint,
    scopes: key.scopes,
    addresses: key.addresses,
    created: Math.floor(key.createdAt / 1000),
    expires: key.expiresAt === undefined ? null : Math.floor(key.expiresAt / 1000),
    account,
    limits: { chat: renderLimits(limits.chat), search: renderLimits(limits.search) },
    used_today: { chat: usedToday.chat, search: usedToday.search },
  }
}

function renderLimits({ minute, day, concurrent }: Limits) {
  return { minute: renderCounter(minute), day: renderCounter(day), concurrent }
}

function renderCounter(counter: Counter | undefined) {
  return counter === undefined
    ? null
    : { limit: counter.limit, remaining: counter.remaining, reset_s: Math.ceil(counter.resetS) }
}
