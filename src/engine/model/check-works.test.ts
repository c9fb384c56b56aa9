import { throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import { checkWorks } from './check-works.ts'
import type { Span, Work } from './forward.ts'

const { spec } = await openRandomModel('tiny-causal')
const span: Span = { tokens: [1, 2], position: 4, writeAt: 4, sees: 'causal', adapted: false, wanted: [false, true] }
const work = (...spans: Span[]): Work => ({ lease: { id: 1, cells: 32 }, spans })

describe('what would end the process never reaches ggml', () => {
  const sees = { until: 4, from: 6, to: 8 }
  const cases: Record<string, [Work[], RegExp]> = {
    'no work': [[], /needs a work/],
    'no span': [[work()], /needs a span/],
    'no token': [[work({ ...span, tokens: [], wanted: [] })], /needs a token/],
    'a token outside the vocabulary': [[work({ ...span, tokens: [1, spec.vocabulary] })], /token 288 is outside/],
    'a negative token': [[work({ ...span, tokens: [-1, 0] })], /token -1/],
    'half a token': [[work({ ...span, tokens: [0.5, 0] })], /token 0.5/],
    'a negative position': [[work({ ...span, position: -1, writeAt: -1 })], /position -1/],
    'a cell behind the lease': [[work({ ...span, position: 31, writeAt: 31 })], /leave a lease of 32/],
    'a causal row in a foreign cell': [[work({ ...span, writeAt: 5 })], /cannot stand in cell 5/],
    'too few wishes': [[work({ ...span, wanted: [true] })], /1 wishes for 2 rows/],
    'a row that sees nothing': [[work({ ...span, sees: { until: 0, from: 3, to: 3 } })], /must see a cell/],
    'seen cells behind the lease': [[work({ ...span, sees: { until: 33, from: 0, to: 0 } })], /of 32/],
    'seen cells backwards': [[work({ ...span, sees: { until: 1, from: 5, to: 4 } })], /5 to 4/],
    'cells seen twice': [[work({ ...span, sees: { until: 5, from: 4, to: 6 } })], /below 5 and 4 to 6 overlap/],
    'two rows in one cell': [[work(span, { ...span, position: 9, writeAt: 5, sees })], /two spans write cell 5/],
    'a lease twice': [[work(span), work(span)], /takes part in a forward once/],
  }
  for (const [name, [works, sentence]] of Object.entries(cases)) {
    test(name, () => throws(() => checkWorks(works, spec), sentence))
  }
})
