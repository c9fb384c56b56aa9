/** Judges replies without a human: key facts, ends, repetition, refusals. */

export type Question = {
  kind: string
  ask: string
  facts: string[]
  /** Earlier questions and answers of the conversation. */
  before?: [ask: string, answer: string][]
  system?: string
}

const GRAM_WORDS = 8
const GRAM_TIMES = 3

/**
 * All key facts stand in the reply, as whole words, whatever their case. A sum is judged by the number after its last
 * "=", where there is one: the operands may hold the same digits. Where a system line asked for the fact alone, nothing
 * else may stand there.
 */
export function isRight({ kind, facts }: Question, reply: string): boolean {
  if (kind === 'system') return words(reply) === words(facts.join(' '))
  const told = kind === 'sum' && reply.includes('=') ? reply.slice(reply.lastIndexOf('=')) : reply
  const text = ` ${words(told)} `
  return facts.every((fact) => text.includes(` ${words(fact)} `))
}

export function saysUnknown(reply: string): boolean {
  return words(reply).includes("don't know")
}

/** Some eight words stand in it three times. */
export function loops(reply: string): boolean {
  const all = words(reply).split(' ')
  const seen = new Map<string, number>()
  for (let i = 0; i + GRAM_WORDS <= all.length; i++) {
    const gram = all.slice(i, i + GRAM_WORDS).join(' ')
    const times = (seen.get(gram) ?? 0) + 1
    if (times === GRAM_TIMES) return true
    seen.set(gram, times)
  }
  return false
}

/** Letters, digits and what binds them into words and paths; a point inside a number stays. */
function words(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}'./+\-_]+|\.(?!\d)/gu, ' ')
    .trim()
    .replaceAll(/ +/g, ' ')
}

/** Wilson's interval of a share, 95%. */
export function interval(right: number, of: number): [low: number, high: number] {
  if (of === 0) return [0, 1]
  const z = 1.96
  const share = right / of
  const middle = share + (z * z) / (2 * of)
  const spread = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of))
  const whole = 1 + (z * z) / of
  return [(middle - spread) / whole, (middle + spread) / whole]
}
