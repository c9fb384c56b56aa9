import type { Package, Refused } from '../admin.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import type { PackageRow } from '../store/schema.ts'
import type { Sqlite } from '../store/sqlite.ts'

function toPackage(row: Omit<PackageRow, 'created_at'>): Package {
  const { chat_minute, chat_day, chat_concurrent, search_minute, search_day, search_concurrent } = row
  return {
    name: row.name,
    limits: {
      chat: { minute: chat_minute ?? undefined, day: chat_day ?? undefined, concurrent: chat_concurrent },
      search: { minute: search_minute ?? undefined, day: search_day ?? undefined, concurrent: search_concurrent },
    },
  }
}

export function toPackageColumns({ limits: { chat, search } }: Package): Omit<PackageRow, 'name' | 'created_at'> {
  return {
    chat_minute: chat.minute ?? null,
    chat_day: chat.day ?? null,
    chat_concurrent: chat.concurrent,
    search_minute: search.minute ?? null,
    search_day: search.day ?? null,
    search_concurrent: search.concurrent,
  }
}

export function findPackage(sqlite: Sqlite, name: string): Package | undefined {
  const row = sqlite.get(query.selectFrom('package').selectAll().where('name', '=', name))
  return row === undefined ? undefined : toPackage(row)
}

export function listPackages(sqlite: Sqlite): Package[] {
  return sqlite.all(query.selectFrom('package').selectAll().orderBy('created_at').orderBy('name')).map(toPackage)
}

export function unknownPackage(sqlite: Sqlite, name: string): Refused<'package_unknown'> {
  const names = listPackages(sqlite).map((known) => known.name)
  return refuse('package_unknown', `There is no package "${name}". Packages: ${names.join(', ')}.`)
}
