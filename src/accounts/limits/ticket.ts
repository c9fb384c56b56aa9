import type { CallUse, Ticket } from '../accounts.ts'

/** What ends a call beside the gate: `counted` says whether the day's count stands. */
export type End = (use: CallUse, counted: boolean) => void

/** Exactly one end, whichever comes first: the place is freed, and only then anything that could fail is done. */
export function createTicket(call: { leave(): void; refund(): void; end: End }): Ticket {
  let ended = false
  const finish = (use: CallUse, counted: boolean): void => {
    if (ended) return
    ended = true
    call.leave()
    if (!counted) call.refund()
    call.end(use, counted)
  }
  return { settle: (use) => finish(use, true), refund: (use) => finish(use, false) }
}
