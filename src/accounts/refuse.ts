import type { Refused } from './admin.ts'

/** message: a sentence for people that says what to do next. */
export function refuse<Reason extends string>(reason: Reason, message: string): Refused<Reason> {
  return { kind: 'refused', reason, message }
}
