import { join } from 'node:path'
import type { Config } from '../config/sections.ts'
import { systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { OpenSearch } from '../search/open-search.ts'
import { UserError } from './command.ts'

/** Where search keeps everything in a data folder. */
export function searchFolder(dataFolder: string): string {
  return join(dataFolder, 'search')
}

/** The search of a data folder, with stored copies out of its WARC files. */
export async function openSearchOf(dataFolder: string, config: Config, log: Log): Promise<OpenSearch> {
  const [{ openSearch }, { readCapture }] = await Promise.all([
    import('../search/open-search.ts'),
    import('../lib/warc/read-capture.ts'),
  ])
  const folder = searchFolder(dataFolder)
  try {
    return await openSearch({
      folder,
      options: config.search,
      clock: systemClock,
      log,
      readCopy: (place) => readCapture(join(folder, 'warc'), place),
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UserError(
      `the search in ${folder} cannot be opened: ${why}. Restore it from a backup, or move that folder away to begin a new one.`,
    )
  }
}
