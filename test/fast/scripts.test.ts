/** What `npm run check` promises to find. */
import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fillTables } from '../../scripts/bench-tables.ts'
import { findDocFaults } from '../../scripts/check-docs.ts'
import { findWrongImports } from '../../scripts/check-imports.ts'

describe('the import table', () => {
  const development = new Set(['fast-check'])
  const judge = (path: string, text: string): string[] => findWrongImports([{ path, text }], development)
  const refused: [what: string, path: string, text: string, told: RegExp][] = [
    [
      'lib knows nothing of the product',
      'src/lib/a.ts',
      "import { b } from '../engine/b.ts'",
      /must not import src\/engine\/b\.ts/,
    ],
    [
      'engine and accounts do not know each other',
      'src/engine/a.ts',
      "import type { B } from '../accounts/b.ts'",
      /must not import/,
    ],
    [
      'api knows of the engine only its messages',
      'src/api/a.ts',
      "import { b } from '../engine/engine.ts'",
      /must not import/,
    ],
    ['nobody imports the command line', 'src/api/a.ts', "import { b } from '../cli/b.ts'", /must not import/],
    ['an import that is made late counts too', 'src/api/a.ts', "await import('../cli/b.ts')", /must not import/],
    [
      'a file named for a worker counts too',
      'src/api/a.ts',
      "new Worker(new URL('../cli/b.ts', import.meta.url))",
      /must not/,
    ],
    [
      'the environment is read in cli only',
      'src/engine/a.ts',
      'const a = process.env',
      /process\.env is read only in src\/cli/,
    ],
    ['so are arguments', 'src/lib/a.ts', 'process.argv[2]', /process\.argv/],
    ['no development package', 'src/lib/a.ts', "import fc from 'fast-check'", /fast-check is a development package/],
    ['C is one room’s business', 'src/engine/a.ts', "import koffi from 'koffi'", /only in src\/engine\/ggml/],
    ['stages of search run alone', 'src/search/crawl/a.ts', "import { b } from '../extract/b.ts'", /must not import/],
    ['nothing outside src', 'src/lib/a.ts', "import { t } from '../../test/t.ts'", /not in src/],
    ['a part must be in the table', 'src/new/a.ts', '', /src\/new\/a\.ts is in no place of the table/],
  ]
  for (const [what, path, text, told] of refused) {
    test(`refuses: ${what}`, () => match(judge(path, text).join('\n'), told))
  }
  const allowed: [what: string, path: string, text: string][] = [
    ['a neighbour', 'src/engine/a.ts', "import { b } from './weights/b.ts'"],
    ['a part it stands on', 'src/api/a.ts', "import type { Engine } from '../engine/messages.ts'"],
    ['settings of a part', 'src/config/a.ts', "import { o } from '../engine/options.ts'"],
    ['settings of a stage', 'src/config/a.ts', "import { o } from '../search/crawl/options.ts'"],
    ['a stage its seams', 'src/search/crawl/a.ts', "import type { D } from '../document.ts'"],
    ['Node', 'src/lib/a.ts', "import { join } from 'node:path'"],
    ['a comment that names what is forbidden', 'src/lib/a.ts', '// not process.env here\n/* process.argv */'],
    ['tests', 'src/lib/a.test.ts', "import fc from 'fast-check'\nimport { b } from '../cli/b.ts'\nprocess.env"],
    ['cli everything', 'src/cli/a.ts', "import { b } from '../api/b.ts'\nprocess.argv"],
  ]
  for (const [what, path, text] of allowed) test(`allows: ${what}`, () => deepEqual(judge(path, text), []))
})

describe('documents', () => {
  const exists = (path: string): boolean => ['src/lib/ids.ts', 'docs/a.md'].includes(path)
  const faults = (path: string, text: string): string[] => findDocFaults([{ path, text }], exists)
  test('a path that is gone is found, in backticks and in links', () => {
    deepEqual(faults('README.md', '`src/lib/gone.ts` [x](docs/b.md#part)'), [
      'README.md names src/lib/gone.ts, which does not exist',
      'README.md names docs/b.md, which does not exist',
    ])
  })
  test('what is there, what is no path of ours, and code blocks are left alone', () => {
    const text = '`src/lib/ids.ts` `application/json` [a](a.md) [w](https://example.org/x.md)\n```\n`src/x.ts`\n```\n'
    deepEqual(faults('docs/b.md', text), [])
  })
  test('a file that a part’s README names is looked for in that part', () => {
    deepEqual(faults('src/x/README.md', '`gone.ts` `not.a.file`'), [
      'src/x/README.md names src/x/**/gone.ts, which does not exist',
    ])
  })
  test('a part’s README has at most 40 lines', () => {
    deepEqual(faults('src/x/README.md', 'line\n'.repeat(40)), [])
    match(faults('src/x/README.md', 'line\n'.repeat(41)).join(''), /41 lines/)
  })
})

describe('tables of benches', () => {
  const result = { startMs: 1, models: { Model: { firstTokenMs: 12.5 } }, machine: 'm', at: '2027-01-01' }
  test('are written between their marks, and writing them again changes nothing', () => {
    const once = fillTables('a\n<!-- table:chat -->\nold\n<!-- /table:chat -->\nb\n', () => result)
    match(once, /^a\n<!-- table:chat -->\n\| \| `Model` \|\n[\s\S]*\| 12\.5 ms \|[\s\S]*<!-- \/table:chat -->\nb\n$/)
    equal(
      fillTables(once, () => result),
      once,
    )
  })
  test('are empty before there is a result, and an unknown name is refused', () => {
    equal(
      fillTables('<!-- table:chat -->\nold\n<!-- /table:chat -->', () => undefined),
      '<!-- table:chat -->\n<!-- /table:chat -->',
    )
    throws(() => fillTables('<!-- table:none -->\n<!-- /table:none -->', () => undefined), /knows no table "none"/)
  })
})
