import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { interval, isRight, loops, saysUnknown } from '../../bench/quality/judge.ts'

describe('a reply is right when its key facts stand in it as whole words', () => {
  const cases: [kind: string, facts: string[], reply: string, right: boolean][] = [
    ['capital', ['Rome'], 'The capital of Italy is Rome.', true],
    ['capital', ['Rome'], 'Romeo lives in Verona.', false],
    ['capital', ['Washington, D.C'], 'The capital of the United States is Washington, D.C.', true],
    ['sum', ['42'], '17 + 25 = 42.', true],
    ['sum', ['25'], '17 + 25 = 42.', false],
    ['sum', ['42'], 'That is 42.', true],
    ['sum', ['42'], 'The sum is 142.', false],
    ['symbol', ['K'], 'The chemical symbol for potassium is K.', true],
    ['product', ['"stream": true'], 'Set "stream": true in the request.', true],
    ['product', ['/v1/chat/completions'], 'POST to /v1/chat/completions.', true],
    ['product', ['8192', '512'], 'From 1 to 8192. The default is 512.', true],
    ['product', ['8192', '512'], 'From 1 to 8192.', false],
    ['product', ["don't know"], 'I don’t know.', true],
  ]
  for (const [kind, facts, reply, right] of cases) {
    test(`${JSON.stringify(facts)} in ${JSON.stringify(reply)}: ${right}`, () => {
      equal(isRight({ kind, ask: '', facts }, reply), right)
    })
  }
})

test('eight words that come three times are a loop, twice are not', () => {
  const line = 'the sea is wide and the sky is blue, '
  ok(loops(line.repeat(3)))
  ok(!loops(line.repeat(2)))
  ok(!loops(''))
})

test('"I don\'t know" is heard in either spelling of the apostrophe', () => {
  deepEqual(
    ["I don't know.", 'I don’t know: why?', 'I know.'].map((reply) => saysUnknown(reply)),
    [true, true, false],
  )
})

test("a share's interval holds it and narrows with more questions", () => {
  for (const right of [0, 1, 50, 100]) {
    const [low, high] = interval(right, 100)
    ok(low <= right / 100 + 1e-12 && right / 100 <= high + 1e-12)
    const [lower, higher] = interval(right * 100, 10_000)
    ok(higher - lower < high - low)
  }
})
