import type { PackageChange, PackageWish } from '../admin.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import { checkPackageLimits } from './check-limits.ts'
import { findPackage, toPackageColumns } from './package-rows.ts'

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/

/** Creates the package, or gives an existing one these numbers, which hold from the next call on. */
export function setPackage(wish: PackageWish, deps: Deps): PackageChange {
  if (!NAME.test(wish.name)) {
    const rule = '1 to 40 of a-z, 0-9 and -, beginning with a letter or digit'
    return refuse('name_invalid', `"${wish.name}" cannot be a package's name; allowed: ${rule}.`)
  }
  const fault = checkPackageLimits(wish.limits)
  if (fault !== undefined) return fault
  const { durable } = deps.store
  return durable.transaction(() => {
    const before = findPackage(durable, wish.name)
    const columns = toPackageColumns(wish)
    durable.run(
      query
        .insertInto('package')
        .values({ name: wish.name, created_at: deps.now(), ...columns })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(columns)),
    )
    const action = before === undefined ? 'package_created' : 'package_changed'
    deps.record({ by: wish.by, action, subject: wish.name, detail: { from: before?.limits, to: wish.limits } })
    const changed: PackageChange['kind'] = before === undefined ? 'created' : 'changed'
    return { kind: changed, package: { name: wish.name, limits: wish.limits } }
  })
}
