import type { Scope } from '../accounts.ts'
import type { KeyLimits, LimitSet, Package, Refused } from '../admin.ts'
import { refuse } from '../refuse.ts'

const NAMES = { minute: 'calls a minute', day: 'calls a day', concurrent: 'calls at once' } as const
const LIMIT_MAX = 1_000_000_000

type Numbers = { [name in keyof typeof NAMES]?: number | undefined }

/** undefined: all numbers can stand. */
export function checkPackageLimits(limits: Record<Scope, LimitSet>): Refused<'limits_invalid'> | undefined {
  return firstOf(limits, (number, what) => {
    if (number === undefined || isLimit(number)) return undefined
    return `${what} is ${number}; allowed: a whole number from 1, or nothing for no limit.`
  })
}

/** A key may only have lower limits than its package. */
export function checkKeyLimits(limits: KeyLimits, holder: Package | undefined): Refused<'limits_invalid'> | undefined {
  return firstOf(limits, (number, what, scope, name) => {
    if (number === undefined) return undefined
    const most = holder?.limits[scope][name] ?? LIMIT_MAX
    if (isLimit(number) && number <= most) return undefined
    return `${what} is ${number}; allowed: a whole number from 1 to ${most}, the limit of the package.`
  })
}

function firstOf(
  limits: Partial<Record<Scope, Numbers>>,
  fault: (number: number | undefined, what: string, scope: Scope, name: keyof typeof NAMES) => string | undefined,
): Refused<'limits_invalid'> | undefined {
  for (const scope of ['chat', 'search'] as const) {
    for (const name of ['minute', 'day', 'concurrent'] as const) {
      const message = fault(limits[scope]?.[name], `${scope}, ${NAMES[name]},`, scope, name)
      if (message !== undefined) return refuse('limits_invalid', message)
    }
  }
  return undefined
}

function isLimit(number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= LIMIT_MAX
}
