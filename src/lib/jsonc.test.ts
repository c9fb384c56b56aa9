import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { JsoncError, parseJsonc } from './jsonc.ts'

test('whatever JSON reads, reads the same here', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      deepEqual(parseJsonc(text), JSON.parse(text))
    }),
  )
})

test('comments and commas at the end change nothing, wherever they stand between values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: fc.string(), b: fc.integer() }, { noNullPrototype: true })),
      fc.string(),
      (rows, words) => {
        const line = `// ${words.replaceAll('\n', ' ')}\n`
        const block = `/* ${words.replaceAll('*/', '')} */`
        const items = rows.map((row) => `${line}${block}${JSON.stringify(row)}${block},${line}`)
        deepEqual(parseJsonc(`\uFEFF[${items.join('')}]${line}`), rows)
      },
    ),
  )
})

describe('what looks like a comment inside a string stays', () => {
  for (const text of ['http://example.org', '/* no */', '\\" // no', ', ]', 'a,}']) {
    test(text, () => equal(parseJsonc(JSON.stringify(text)), text))
  }
})

describe('a fault is told with its line', () => {
  const cases: Record<string, number> = { '{\n"a": 1\n"b": 2}': 3, '{"a": }': 1, '{\n/* open': 2, '': 1, '[1,,2]': 1 }
  for (const [text, line] of Object.entries(cases)) {
    test(JSON.stringify(text), () => {
      throws(
        () => parseJsonc(text),
        (error) => error instanceof JsoncError && error.line === line,
      )
    })
  }
})
