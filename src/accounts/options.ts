import { Type } from 'typebox'

export const accountsOptions = Type.Object({
  zone: Type.String({
    minLength: 1,
    default: 'UTC',
    env: 'UNMASK_ACCOUNTS_ZONE',
    description: 'IANA time zone at whose midnight the daily counts begin again, for example Europe/Paris.',
  }),
  usageFlushMs: Type.Integer({
    minimum: 10,
    maximum: 60_000,
    default: 100,
    env: 'UNMASK_ACCOUNTS_USAGE_FLUSH_MS',
    description: 'Milliseconds that lines of the usage log wait in memory before they are written together.',
  }),
  usageBatchRows: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 500,
    env: 'UNMASK_ACCOUNTS_USAGE_BATCH_ROWS',
    description: 'As many waiting lines of the usage log are written at once, without waiting longer.',
  }),
  usageKeepDays: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 90,
    env: 'UNMASK_ACCOUNTS_USAGE_KEEP_DAYS',
    description: 'Days after which single lines of the usage log are deleted; the hourly sums stay.',
  }),
})
