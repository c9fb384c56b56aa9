/**
 * Writes without end until it is killed, and says on standard output what was acknowledged, one line each, after the
 * acknowledgement: `key ID SECRET`, `revoked ID`, `admitted`. argv: the folder, the account's name, the spending key's id.
 */
import { writeSync } from 'node:fs'
import { openAccounts } from '../../src/accounts/open-accounts.ts'

import { accountsParts, SERVED, TurnedClock } from './accounts.ts'

const [folder = '', account = '', keyId = ''] = process.argv.slice(2)
const accounts = await openAccounts(accountsParts(folder, new TurnedClock()))
const key = (await accounts.listKeys(account)).find((listing) => listing.key.id === keyId)?.key
if (key === undefined) throw new Error(`No key ${keyId}`)

for (let round = 0; ; round++) {
  const made = await accounts.createKey({ account, name: `round ${round}` })
  if (made.kind === 'refused') throw new Error(made.message)
  writeSync(1, `key ${made.key.id} ${made.secret}\n`)
  if (round % 2 === 1) {
    await accounts.revokeKey({ id: made.key.id })
    writeSync(1, `revoked ${made.key.id}\n`)
  }
  for (let i = 0; i < 10; i++) {
    const admission = await accounts.admit(key, 'chat')
    if (admission.kind === 'refused') throw new Error(admission.reason)
    writeSync(1, 'admitted\n')
    admission.ticket.settle(SERVED)
  }
}
