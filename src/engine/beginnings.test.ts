import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toyPrompt } from '../../test/support/decode.ts'
import { ToyForward, toySpec } from '../../test/support/toy-forward.ts'
import { Beginnings } from './beginnings.ts'

function lease(forward: ToyForward, cells: number) {
  const taken = forward.lease(cells)
  ok(taken)
  return taken
}

describe('kept beginnings', () => {
  const long = toyPrompt(40, 1)
  test('the longest shared one is found, inside one owner', () => {
    const forward = new ToyForward(toySpec('causal-context'))
    const kept = new Beginnings(forward)
    kept.keep(lease(forward, 40), long.slice(0, 20).concat(toyPrompt(5, 9)), 'a', 0)
    kept.keep(lease(forward, 40), long.slice(0, 30).concat(toyPrompt(5, 9)), 'a', 0)
    equal(kept.find(long, 'a', 0)?.count, 30)
    equal(kept.find(long, 'b', 0), undefined)
    equal(kept.find(toyPrompt(40, 2), 'a', 0), undefined)
  })
  test('between owners only what is the template’s own for both', () => {
    const forward = new ToyForward(toySpec('causal-context'))
    const kept = new Beginnings(forward)
    kept.keep(lease(forward, 40), long, 'a', 12)
    equal(kept.find(long, 'b', 20)?.count, 12)
    equal(kept.find(long, 'b', 9)?.count, 9)
    equal(kept.find(long, 'b', 0), undefined)
  })
  test('what has become a beginning of a longer one is given back', () => {
    const forward = new ToyForward(toySpec('causal-context'))
    const kept = new Beginnings(forward)
    kept.keep(lease(forward, 40), long.slice(0, 20), 'a', 0)
    kept.keep(lease(forward, 40), long, 'a', 0)
    equal(kept.size, 1)
    equal(kept.find(long, 'a', 0)?.count, 40)
  })
  test('the least recently used one goes first, the spared one last', () => {
    const forward = new ToyForward(toySpec('causal-context'))
    const kept = new Beginnings(forward)
    const prompts = [1, 2, 3].map((seed) => toyPrompt(20, seed))
    for (const prompt of prompts) kept.keep(lease(forward, 20), prompt, 'a', 0)
    const counts = () => prompts.map((prompt) => kept.find(prompt, 'a', 0)?.count)
    const first = kept.find(prompts[0] ?? [], 'a', 0)
    ok(first)
    ok(kept.dropOldest())
    deepEqual(counts(), [20, undefined, 20])
    ok(kept.dropOldest(first.lease))
    deepEqual(counts(), [20, undefined, undefined])
    ok(kept.dropOldest(first.lease))
    equal(kept.dropOldest(), false)
    equal(forward.cellsFree, forward.cellsTotal)
  })
  test('a reply that used few of its cells gives the others back', () => {
    const forward = new ToyForward(toySpec('causal-context'))
    const kept = new Beginnings(forward)
    kept.keep(lease(forward, 1024), long, 'a', 0)
    equal(forward.cellsTotal - forward.cellsFree, 64)
  })
})
