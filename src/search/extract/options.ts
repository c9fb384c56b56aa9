import { Type } from 'typebox'

export const extractOptions = Type.Object({
  threads: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 1,
    env: 'UNMASK_EXTRACT_THREADS',
    description:
      'Threads that read fetched pages; one reads more pages a second than a polite crawl of many sites brings.',
  }),
  pageMsMax: Type.Integer({
    minimum: 100,
    maximum: 600_000,
    default: 10_000,
    env: 'UNMASK_EXTRACT_PAGE_MS_MAX',
    description: 'Milliseconds one page may take to be read; a page that takes longer is given up.',
  }),
})
