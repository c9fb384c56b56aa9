/** What real text is mixed of, and what tokenizers stumble over. */
const FRAGMENTS = [
  ['def f(x):\n    return x * 2', '#include <stdio.h>', '{"a": [1, 2]}', '/* c */', '==', '->', '_snake_case', 'Camel'],
  ['  ', '\t', '\n', '\r\n', '\n\n\n', ' ', ' \n ', ' \t\n x', '   \n\n   y', '\u00a0', '\u3000', '\u2028', '\u0085'],
  ['0', '12', '345', '3.14159', '1,000,000', '$5.00', '٣٤', 'Ⅷ', '½', '²', '\ufeff', '\u200b', '\u007f'],
  ['中文', '你好，世界', '日本語テスト', '한국어', 'Привет', 'שלום', 'مرحبا', 'हिन्दी', 'ไทย', 'Ω', 'ß', 'İ', 'ñ'],
  ['😀', '👩‍👩‍👧', '🇩🇪', '\u{10400}', '\u{1d49c}', '\u{20000}', 'é', 'e\u0301', 'a\u0308\u0323', 'z\u0327'],
  ['hello', 'World', "don't", "I'LL", "we've", "'s", "'S", "'\u017f", '"\'re', 'it’s', "' ", "'t", 'x'.repeat(30)],
  ['<|im_end|>', '<|endoftext|>', 'http://x.y/z?q=1', '...', '—', '-', '!', '?', ';', 'trail  ', '  lead'],
].flat()

/** Deterministic lines of 1 to 12 fragments (a linear congruential generator; Knuth's constants of MMIX). */
export function mixedLines(count: number): string[] {
  let state = 20_261_121n
  const next = (below: number) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & (2n ** 64n - 1n)
    return Number((state >> 33n) % BigInt(below))
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(12) }, () => FRAGMENTS[next(FRAGMENTS.length)] ?? '').join(''),
  )
}
