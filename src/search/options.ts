import { type Static, Type } from 'typebox'

export const searchOptions = Type.Object({
  engine: Type.Union([Type.Literal('auto'), Type.Literal('tantivy'), Type.Literal('sqlite')], {
    default: 'auto',
    env: 'UNMASK_SEARCH_ENGINE',
    description:
      'What holds the index. `auto` takes Tantivy where its binary is, otherwise SQLite; another choice than before builds the index anew.',
  }),
  threads: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: 2,
    env: 'UNMASK_SEARCH_THREADS',
    description: 'Threads that answer queries; more than there are processors gains nothing.',
  }),
  safe: Type.Boolean({
    default: true,
    env: 'UNMASK_SEARCH_SAFE',
    description: 'Take adult pages out of every answer; the answer says so where it did.',
  }),
  commitEveryMs: Type.Integer({
    minimum: 100,
    maximum: 60_000,
    default: 1_000,
    env: 'UNMASK_SEARCH_COMMIT_EVERY_MS',
    description: 'Least milliseconds between two commits of the index: a new page can be found about so much later.',
  }),
  commitEveryPages: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 5_000,
    env: 'UNMASK_SEARCH_COMMIT_EVERY_PAGES',
    description: 'Pages after which the index commits at the latest.',
  }),
  picturesBytesMax: Type.Integer({
    minimum: 1_048_576,
    maximum: 1_000_000_000_000,
    default: 268_435_456,
    env: 'UNMASK_SEARCH_PICTURES_BYTES_MAX',
    description: 'Bytes of thumbnails and site icons that are kept; those not looked at for longest go first.',
  }),
})

export type SearchOptions = Static<typeof searchOptions>
