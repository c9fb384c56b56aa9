/** A process that keeps, changes and removes pages and rebuilds the index, until it is killed: `FOLDER ENGINE FIRST`. One line a change. */
import { writeSync } from 'node:fs'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openSearch } from '../../src/search/open-search.ts'
import { changeAt } from './index-changes.ts'

const [folder = '', engine = '', first = '0'] = process.argv.slice(2)
const search = await openSearch({
  folder,
  options: {
    engine: engine === 'sqlite' ? 'sqlite' : 'tantivy',
    threads: 1,
    safe: true,
    commitEveryMs: 100,
    commitEveryPages: 20,
  },
  clock: systemClock,
  log: silentLog,
  readCopy: async () => undefined,
})
for (let change = Number(first); ; change++) {
  const { url, page } = changeAt(change)
  if (page === undefined) search.remove(url)
  else search.keep(page)
  writeSync(1, `${change}\n`)
  if (change % 60 === 30) void search.rebuild()
  if (change % 3 === 0) await new Promise<void>((resolve) => setTimeout(resolve, 2))
}
