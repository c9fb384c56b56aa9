import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { Belief, Dial } from './belief.ts'
import { chooseByEntropy } from './entropy-bound.ts'
import { chooseByFactor } from './factor.ts'
import { chooseFixed } from './fixed.ts'
import { deferEqualNeighbours, dropEarlyEnds } from './guards.ts'
import { findRule, rulesFor } from './registry.ts'
import { chooseByThreshold } from './threshold.ts'
import { chooseRun } from './verified.ts'

const probability = fc.double({ min: 0, max: 1, noNaN: true })
const beliefs = fc
  .uniqueArray(
    fc.record({
      position: fc.nat(40),
      token: fc.nat(4),
      confidence: probability,
      entropy: fc.double({ min: 0, max: 3, noNaN: true }),
    }),
    { selector: (belief) => belief.position, minLength: 1, maxLength: 32 },
  )
  .map((list) => list.toSorted((a, b) => a.position - b.position))
const dials = fc.record({
  threshold: probability,
  perStep: fc.integer({ min: 1, max: 8 }),
  masksAtStart: fc.integer({ min: 1, max: 32 }),
  step: fc.nat(31),
})
const dial = (over: Partial<Dial>): Dial => ({ threshold: 0.9, perStep: 1, masksAtStart: 1, step: 0, ...over })
const belief = (position: number, confidence: number, token = position, entropy = 0): Belief => ({
  position,
  token,
  confidence,
  entropy,
})
const positions = (list: readonly Belief[]): number[] => list.map((item) => item.position)

describe('every rule', () => {
  for (const form of ['bidirectional', 'block-causal', 'causal-context'] as const) {
    for (const name of rulesFor(form)) {
      test(`${name} on ${form} chooses from what it was given, in order, and at least one unless it only drafts`, () => {
        const rule = findRule(name, form)
        ok(rule)
        fc.assert(
          fc.property(beliefs, dials, (list, at) => {
            const chosen = rule.choose(list, at)
            deepEqual(
              chosen,
              list.filter((item) => chosen.includes(item)),
            )
            if (name !== 'verified') ok(chosen.length > 0)
          }),
        )
      })
    }
  }
  test('an unknown name and a rule of another form are not found', () => {
    equal(findRule('verified', 'bidirectional'), undefined)
    equal(findRule('toString', 'bidirectional'), undefined)
  })
})

describe('threshold', () => {
  test('takes all that is sure enough, the edge included', () => {
    deepEqual(positions(chooseByThreshold([belief(0, 0.9), belief(1, 0.89), belief(2, 1)], dial({}))), [0, 2])
  })
  test('takes the best one where nothing is sure, the leftmost of equals', () => {
    deepEqual(positions(chooseByThreshold([belief(3, 0.1), belief(4, 0.2), belief(5, 0.2)], dial({}))), [4])
  })
})

describe('factor: the n best where c(n) ≥ 1 − 1 / (n + 1)', () => {
  test('0.5, 2/3, 3/4 are the bounds of 1, 2, 3', () => {
    deepEqual(positions(chooseByFactor([belief(0, 0.7), belief(1, 0.67), belief(2, 0.5)])), [0, 1])
    deepEqual(positions(chooseByFactor([belief(0, 0.75), belief(1, 0.8), belief(2, 0.99)])), [0, 1, 2])
    deepEqual(positions(chooseByFactor([belief(0, 0.1), belief(1, 0.2)])), [1])
  })
})

describe('entropy bound: cumulative entropy without the largest stays within γ', () => {
  test('the surest first; the first one is free', () => {
    const list = [belief(0, 0.9, 0, 0.2), belief(1, 0.8, 1, 0.3), belief(2, 0.7, 2, 0.4), belief(3, 0.1, 3, 2)]
    deepEqual(positions(chooseByEntropy(list, dial({ threshold: 0.5 }))), [0, 1, 2])
    deepEqual(positions(chooseByEntropy(list, dial({ threshold: 0.2 }))), [0, 1])
    deepEqual(positions(chooseByEntropy(list, dial({ threshold: 0 }))), [0])
    deepEqual(positions(chooseByEntropy(list, dial({ threshold: 1 }))), [0, 1, 2, 3])
  })
})

describe('fixed: LLaDA’s schedule', () => {
  test('a block of m masks is whole after ⌈m / perStep⌉ steps, the first m mod steps of them one larger', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 8 }), (masks, perStep) => {
        let open = Array.from({ length: masks }, (_, i) => belief(i, (i * 7919) % 13))
        const sizes: number[] = []
        while (open.length > 0) {
          const chosen = chooseFixed(open, dial({ perStep, masksAtStart: masks, step: sizes.length }))
          sizes.push(chosen.length)
          open = open.filter((item) => !chosen.includes(item))
        }
        const steps = Math.ceil(masks / perStep)
        const want = Array.from({ length: steps }, (_, i) => Math.floor(masks / steps) + (i < masks % steps ? 1 : 0))
        deepEqual(sizes, want)
      }),
    )
  })
})

describe('verified', () => {
  test('the run stops at the first doubtful draw, however sure the later ones are', () => {
    const list = [belief(5, 0.9), belief(6, 0.3), belief(7, 0.1), belief(8, 0.99)]
    deepEqual(positions(chooseRun(list, dial({ threshold: 0.2 }))), [5, 6])
    deepEqual(positions(chooseRun(list, dial({ threshold: 0.95 }))), [])
  })
})

describe('equal neighbours of one forward', () => {
  const none = new Set<number>()
  test('only the surest of a run stays beside others', () => {
    const run = [belief(0, 0.91, 7), belief(1, 0.99, 7), belief(2, 0.95, 7), belief(3, 0.97, 7), belief(5, 0.9, 7)]
    deepEqual(positions(deferEqualNeighbours(run, none)), [1, 3, 5])
  })
  test('end tokens may repeat: they pad', () => {
    deepEqual(positions(deferEqualNeighbours([belief(0, 0.9, 2), belief(1, 0.9, 2)], new Set([2]))), [0, 1])
  })
  test('never two equal ones side by side, and never nothing', () => {
    fc.assert(
      fc.property(beliefs, (list) => {
        const kept = deferEqualNeighbours(list, none)
        ok(kept.length > 0)
        const at = new Map(kept.map((item) => [item.position, item.token]))
        for (const item of kept) ok(at.get(item.position + 1) !== item.token)
      }),
    )
  })
})

describe('an end of turn with a mask before it is not kept', () => {
  test('what is known or set in this very step is no mask', () => {
    const ends = new Set([2])
    const chosen = [belief(10, 1, 5), belief(12, 1, 2), belief(14, 1, 2), belief(15, 1, 6)]
    deepEqual(positions(dropEarlyEnds(chosen, ends, 10, new Set([11]))), [10, 12, 15])
    deepEqual(positions(dropEarlyEnds(chosen, ends, 10, new Set())), [10, 15])
  })
})
