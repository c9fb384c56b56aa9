/**
 * Templates are written for Python, whose `strip` and `split` take U+0085 for a space and U+FEFF for none; JavaScript's are
 * the other way round. While a template runs, U+FEFF stands for U+0085, and a lone surrogate for U+FEFF.
 */
const NOT_A_SPACE = '\udffe'
const LONE = /\udffe/gu

export function asPythonSpaces(text: string): string {
  if (!text.includes('\u0085') && !text.includes('\ufeff')) return text
  return text.replaceAll('\ufeff', NOT_A_SPACE).replaceAll('\u0085', '\ufeff')
}

export function fromPythonSpaces(text: string): string {
  if (!text.includes('\ufeff') && !text.includes(NOT_A_SPACE)) return text
  return text.replaceAll('\ufeff', '\u0085').replaceAll(LONE, '\ufeff')
}
