import * as fc from 'fast-check'
import type { Candidates, Forward, Lease, Span } from '../../src/engine/model/forward.ts'
import type { ModelSpec } from '../../src/engine/model/spec.ts'

/** What one request asks of a forward: the spans of each of its steps. */
export type Script = Span[][]

const allWanted = (tokens: readonly number[]): boolean[] => tokens.map(() => true)

/** Cuts a prompt at the places given (0 to its length) into causal spans, one a step. */
export function promptSteps(tokens: readonly number[], cuts: readonly number[]): Script {
  const places = [0, ...new Set(cuts.map((cut) => cut % tokens.length).sort((a, b) => a - b)), tokens.length]
  return places.slice(1).flatMap((end, i) => {
    const start = places[i] ?? 0
    const own = tokens.slice(start, end)
    if (own.length === 0) return []
    return [[{ tokens: own, position: start, writeAt: start, sees: 'causal', adapted: false, wanted: allWanted(own) }]]
  })
}

/** A step of a causal-context request: pending tokens at `first` on, and a window that stands for the last of them. */
export function windowStep(first: number, pending: readonly number[], window: readonly number[]): Span[] {
  const last = first + pending.length - 1
  const causal: Span = {
    tokens: [...pending],
    position: first,
    writeAt: first,
    adapted: false,
    sees: 'causal',
    wanted: allWanted(pending),
  }
  if (window.length === 0) return [causal]
  const sees = { until: last, from: last + 1, to: last + 1 + window.length }
  const own: Span = {
    tokens: [...window],
    position: last,
    writeAt: last + 1,
    adapted: true,
    sees,
    wanted: allWanted(window),
  }
  return [causal, own]
}

/** A prompt in pieces, then some windowed steps. */
export function causalScript(spec: ModelSpec, promptMax: number): fc.Arbitrary<Script> {
  const token = fc.nat({ max: spec.vocabulary - 1 })
  const masked = fc.oneof(token, fc.constant(spec.maskToken))
  const round = fc.record({
    pending: fc.array(token, { minLength: 1, maxLength: 4 }),
    window: fc.array(masked, { maxLength: 5 }),
  })
  return fc
    .record({
      prompt: fc.array(token, { minLength: 1, maxLength: promptMax }),
      cuts: fc.array(fc.nat({ max: promptMax }), { maxLength: 2 }),
      rounds: fc.array(round, { maxLength: 3 }),
    })
    .map(({ prompt, cuts, rounds }) => {
      const script = promptSteps(prompt, cuts)
      let first = prompt.length
      for (const { pending, window } of rounds) {
        script.push(windowStep(first, pending, window))
        first += pending.length
      }
      return script
    })
}

/** A whole canvas at once, then its last block again over the cached rest (prefix and dual cache). */
export function canvasScript(spec: ModelSpec, tokensMax: number): fc.Arbitrary<Script> {
  const token = fc.nat({ max: spec.vocabulary - 1 })
  return fc
    .record({
      tokens: fc.array(token, { minLength: 2, maxLength: tokensMax }),
      block: fc.nat({ max: tokensMax }),
      steps: fc.nat({ max: 2 }),
    })
    .map(({ tokens, block, steps }) => {
      const start = block % tokens.length
      const sees = { until: tokens.length, from: 0, to: 0 }
      const spanFrom = (at: number): Span => {
        const own = tokens.slice(at)
        return { tokens: own, position: at, writeAt: at, sees, adapted: false, wanted: allWanted(own) }
      }
      return [spanFrom(0), ...Array<Span>(steps).fill(spanFrom(start))].map((span) => [span])
    })
}

export function cellsOf(script: Script): number {
  return Math.max(...script.flat().map((span) => span.writeAt + span.tokens.length))
}

/** Runs a script by itself: the rows of each step. */
export async function runAlone(forward: Forward, script: Script): Promise<Candidates[][]> {
  const lease = leaseFor(forward, script)
  const results: Candidates[][] = []
  for (const spans of script) results.push((await forward.compute([{ lease, spans }]))[0] ?? [])
  forward.release(lease)
  return results
}

/** Runs scripts beside one another: `turns` says, step by step, which of them take part (bits). */
export async function runTogether(
  forward: Forward,
  scripts: readonly Script[],
  turns: readonly number[],
): Promise<Candidates[][][]> {
  const running = scripts.map((script) => ({ script, lease: leaseFor(forward, script), results: [] as Candidates[][] }))
  for (let turn = 0; running.some(({ script, results }) => results.length < script.length); turn++) {
    const open = running.filter(({ script, results }) => results.length < script.length)
    const chosen = open.filter((_, i) => (((turns[turn] ?? -1) >> i) & 1) === 1)
    const group = chosen.length > 0 ? chosen : open
    const works = group.map(({ script, lease, results }) => ({ lease, spans: script[results.length] ?? [] }))
    const found = await forward.compute(works)
    for (const [i, one] of group.entries()) one.results.push(found[i] ?? [])
  }
  for (const { lease } of running) forward.release(lease)
  return running.map(({ results }) => results)
}

export function leaseFor(forward: Forward, script: Script): Lease {
  const lease = forward.lease(cellsOf(script))
  if (lease === undefined) throw new Error('the test asks for more cells than the forward has')
  return lease
}

/** Blocks of 8: several in one step, then the last once more with other tokens, as denoising does. */
export function blockScript(spec: ModelSpec, tokensMax: number): fc.Arbitrary<Script> {
  const size = 8
  const token = fc.nat({ max: spec.vocabulary - 1 })
  const block = fc.array(token, { minLength: size, maxLength: size })
  const blocks = fc.array(block, { minLength: 1, maxLength: Math.max(1, Math.floor(tokensMax / size)) })
  return fc.record({ blocks, again: block, together: fc.boolean() }).map(({ blocks, again, together }) => {
    const spans = blocks.map((tokens, i) => blockSpan(tokens, i * size))
    const script = together ? [spans] : spans.map((span) => [span])
    script.push([blockSpan(again, (blocks.length - 1) * size)])
    return script
  })
}

/** A block sees all blocks before it, and itself whole. */
export function blockSpan(tokens: readonly number[], at: number): Span {
  const own = [...tokens]
  const sees = { until: at + own.length, from: 0, to: 0 }
  return { tokens: own, position: at, writeAt: at, sees, adapted: false, wanted: allWanted(own) }
}
