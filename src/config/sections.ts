import type { Static } from 'typebox'
import { accountsOptions } from '../accounts/options.ts'
import { apiOptions } from '../api/options.ts'
import { engineOptions } from '../engine/options.ts'
import { crawlerOptions } from '../search/crawl/options.ts'
import { extractOptions } from '../search/extract/options.ts'
import { searchOptions } from '../search/options.ts'
import { logOptions } from './options.ts'

/** Every part's settings under the name they have in the configuration file. The order is that of the documentation. */
export const sections = {
  api: apiOptions,
  engine: engineOptions,
  accounts: accountsOptions,
  search: searchOptions,
  crawler: crawlerOptions,
  extract: extractOptions,
  log: logOptions,
}

/** All settings, checked and complete. */
export type Config = { [Name in keyof typeof sections]: Static<(typeof sections)[Name]> }
