/** Another process on the same data folder: does what its parent asks over IPC, and answers. argv: the folder. */
import type { Key } from '../../src/accounts/accounts.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'

import { accountsParts, SERVED, TurnedClock } from './accounts.ts'

export type Order =
  | { verb: 'ensure' }
  | { verb: 'verify'; secret: string }
  | { verb: 'create'; account: string; count: number }
  /** Asks for `count` admissions, and refunds every `refundEach`-th that is granted (0: none). */
  | { verb: 'spend'; key: Key; count: number; refundEach: number }

const accounts = await openAccounts(accountsParts(process.argv[2] ?? '', new TurnedClock()))

async function obey(order: Order): Promise<unknown> {
  if (order.verb === 'ensure') return (await accounts.ensureLocalOperator()).kind
  if (order.verb === 'verify') {
    const check = accounts.verifyKey(order.secret)
    return check.kind === 'valid' ? 'valid' : check.reason
  }
  if (order.verb === 'spend') return spend(order.key, order.count, order.refundEach)
  const secrets: string[] = []
  for (let i = 0; i < order.count; i++) {
    const made = await accounts.createKey({ account: order.account, name: `key ${i}` })
    if (made.kind === 'created') secrets.push(made.secret)
  }
  return secrets
}

async function spend(key: Key, count: number, refundEach: number): Promise<{ granted: number; settled: number }> {
  let granted = 0
  let settled = 0
  for (let i = 0; i < count; i++) {
    const admission = await accounts.admit(key, 'chat')
    if (admission.kind === 'refused') continue
    granted++
    if (refundEach > 0 && granted % refundEach === 0) admission.ticket.refund(SERVED)
    else {
      admission.ticket.settle(SERVED)
      settled++
    }
  }
  return { granted, settled }
}

process.on('message', async (order: Order) => process.send?.(await obey(order)))
process.on('disconnect', () => process.exit())
process.send?.('open')
