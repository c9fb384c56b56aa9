/** Classes of characters that the patterns cut by. */
export const OTHER = 0
export const LETTER = 1
export const NUMBER = 2
export const SPACE = 3

const PATTERNS: readonly [number, RegExp][] = [
  [LETTER, /\p{L}+/gu],
  [NUMBER, /\p{N}+/gu],
  // Not `\s`: that has U+FEFF in JavaScript and lacks U+0085.
  [SPACE, /\p{White_Space}+/gu],
]

/** Planes above have neither letters, numbers nor spaces. */
const CODE_POINTS = 0x40000
const CHUNK = 0x1000

let table: Uint8Array | undefined

/** The class of every code point below 0x40000; the others are OTHER. Made at the first call, in some 20 ms. */
export function characterClasses(): Uint8Array {
  table ??= makeTable()
  return table
}

function makeTable(): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS)
  for (let base = 0; base < CODE_POINTS; base += CHUNK) {
    // Lone surrogates are no characters.
    if (base >= 0xd000 && base < 0xe000) {
      if (base === 0xd000) classify(classes, base, 0x800)
      continue
    }
    classify(classes, base, CHUNK)
  }
  return classes
}

function classify(classes: Uint8Array, base: number, count: number): void {
  const text = String.fromCodePoint(...Array.from({ length: count }, (_, i) => base + i))
  const units = base > 0xffff ? 2 : 1
  for (const [kind, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const from = base + match.index / units
      classes.fill(kind, from, from + match[0].length / units)
    }
  }
}
