import type { Admission, Limits, Scope } from '../accounts.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Day } from './day.ts'
import type { DayCounts } from './day-counts.ts'
import type { Standing } from './decide-admission.ts'
import { decideAdmission } from './decide-admission.ts'
import { countOld } from './decide-minute.ts'
import type { Rule } from './find-rules.ts'
import { tellLimits } from './tell-limits.ts'
import type { End } from './ticket.ts'
import { createTicket } from './ticket.ts'

export type GateParts = { clock: Clock; calendar(now: number): Day; days: DayCounts; log: Log }

/** Above so many remembered callers, those without a call in the last minute are forgotten, at most once a minute. */
const CALLERS_MAX = 1_000
const SWEEP_MS = 60_000

/**
 * Lets calls in, or not. The minute and what runs now are counted in this process, the day in the store. Everything
 * between the first look and the last entry happens in one tick: no call slips in between.
 */
export class Gate {
  readonly #parts: GateParts
  readonly #running = new Map<string, number>()
  readonly #times = new Map<string, number[]>()
  #sweptAt = 0

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  /** Callers whose last minute is kept. */
  get remembered(): number {
    return this.#times.size
  }

  /** end: told once, when the call that was let in ends. */
  admit(rules: readonly Rule[], scope: Scope, end: End): Admission {
    const { clock, calendar, days } = this.#parts
    const now = clock.now()
    const day = calendar(now)
    const verdict = decideAdmission(clock.monotonicMs(), this.#stand(rules, scope))
    if (verdict.kind === 'deny') {
      const { reason, retryAfterMs } = verdict
      return { kind: 'refused', reason, retryAfterMs, limits: this.limits(rules, scope) }
    }
    // The last question is the one that spends: what refuses has spent nothing.
    if (!days.spend(rules, scope, day.date)) {
      return { kind: 'refused', reason: 'day', retryAfterMs: day.endsAt - now, limits: this.limits(rules, scope) }
    }
    this.#enter(rules, scope)
    const leave = (): void => this.#leave(rules, scope)
    const refund = (): void => this.#refund(rules, scope, day.date)
    const ticket = createTicket({ leave, refund, end })
    return { kind: 'admitted', limits: this.limits(rules, scope), ticket }
  }

  limits(rules: readonly Rule[], scope: Scope): Limits {
    const { clock, calendar, days } = this.#parts
    const now = clock.now()
    const day = calendar(now)
    const time = { monotonicMs: clock.monotonicMs(), dayEndsInMs: day.endsAt - now }
    return tellLimits(this.#stand(rules, scope), (owner) => days.used(owner, scope, day.date), time)
  }

  #stand(rules: readonly Rule[], scope: Scope): Standing[] {
    return rules.map((rule) => {
      const caller = `${scope} ${rule.owner}`
      return { ...rule, running: this.#running.get(caller) ?? 0, times: this.#times.get(caller) ?? [] }
    })
  }

  #enter(rules: readonly Rule[], scope: Scope): void {
    const now = this.#parts.clock.monotonicMs()
    this.#sweep(now)
    for (const { owner, minute } of rules) {
      const caller = `${scope} ${owner}`
      this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1)
      if (minute === undefined) continue
      const times = this.#times.get(caller) ?? []
      times.splice(0, countOld(now, times))
      times.push(now)
      this.#times.set(caller, times)
    }
  }

  #leave(rules: readonly Rule[], scope: Scope): void {
    for (const { owner } of rules) {
      const caller = `${scope} ${owner}`
      const running = (this.#running.get(caller) ?? 1) - 1
      if (running === 0) this.#running.delete(caller)
      else this.#running.set(caller, running)
    }
  }

  /** The call has failed already; that its count could not be given back must not hide why. */
  #refund(rules: readonly Rule[], scope: Scope, date: string): void {
    try {
      this.#parts.days.refund(rules, scope, date)
    } catch (error) {
      this.#parts.log.error('refund_failed', { scope, date, error: String(error) })
    }
  }

  #sweep(now: number): void {
    if (this.#times.size < CALLERS_MAX || now - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = now
    for (const [caller, times] of this.#times) {
      if (countOld(now, times) === times.length) this.#times.delete(caller)
    }
  }
}
