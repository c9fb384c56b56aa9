import type { Scope } from '../accounts.ts'
import { query } from '../store/query.ts'
import type { Sqlite } from '../store/sqlite.ts'

export type DayCounts = {
  /** Calls of that day. */
  used(owner: string, scope: Scope, date: string): number
  /** One more for each owner, if all of them have room: true. Else nothing is spent: false. Exact across processes. */
  spend(owners: readonly { owner: string; day: number | undefined }[], scope: Scope, date: string): boolean
  /** Gives one call of that day back to each owner. */
  refund(owners: readonly { owner: string }[], scope: Scope, date: string): void
}

export function openDayCounts(sqlite: Sqlite): DayCounts {
  const find = sqlite.prepare<{ used: number }>(
    query
      .selectFrom('day_count')
      .select('used')
      .where('owner', '=', 'owner')
      .where('scope', '=', 'chat')
      .where('day', '=', 'date'),
  )
  // The limit stands in the statement itself: no row comes back from the one that met it.
  const take = sqlite.prepare<{ used: number }>(
    query
      .insertInto('day_count')
      .values({ owner: 'owner', scope: 'chat', day: 'date', used: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['owner', 'scope', 'day'])
          .doUpdateSet((eb) => ({ used: eb('day_count.used', '+', 1) }))
          .where('day_count.used', '<', 0),
      )
      .returning('used'),
  )
  const give = sqlite.prepare(
    query
      .updateTable('day_count')
      .set((eb) => ({ used: eb('used', '-', 1) }))
      .where('owner', '=', 'owner')
      .where('scope', '=', 'chat')
      .where('day', '=', 'date')
      .where('used', '>', 0),
  )
  const giveBack = (owner: string, scope: Scope, date: string): number => give.run(1, owner, scope, date, 0)
  return {
    used: (owner, scope, date) => find.get(owner, scope, date)?.used ?? 0,
    spend: (owners, scope, date) =>
      sqlite.transaction(() => {
        const full = owners.findIndex(({ owner, day }) => {
          return take.get(owner, scope, date, 1, 1, day ?? Number.MAX_SAFE_INTEGER) === undefined
        })
        for (const { owner } of owners.slice(0, Math.max(full, 0))) giveBack(owner, scope, date)
        return full === -1
      }),
    refund: (owners, scope, date) =>
      sqlite.transaction(() => owners.forEach(({ owner }) => giveBack(owner, scope, date))),
  }
}
