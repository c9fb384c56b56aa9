/**
 * How the texts of a conversation pass through a chat template without ever becoming special tokens: every name of one in
 * them is broken by a mark behind its first character, and the mark is taken out again once the special tokens have been
 * looked for. The mark is a lone low surrogate. No well-formed text can hold one, so nobody can forge it or make it vanish.
 */
export const BREAK = '\udfff'

/** With the `u` flag halves of a pair do not match. */
const LONE_BREAKS = /\udfff/gu

/** `specials`: names, longest first. The text is made well-formed. */
export function breakSpecials(text: string, specials: readonly string[]): string {
  const plain = text.toWellFormed()
  const cuts = new Set<number>()
  for (const name of specials) {
    // From the next character on, for names may overlap.
    for (let at = plain.indexOf(name); at >= 0; at = plain.indexOf(name, at + 1)) cuts.add(at + firstWidth(name))
    addEdgeCuts(plain, name, cuts)
  }
  if (cuts.size === 0) return plain
  const parts: string[] = []
  let from = 0
  for (const at of [...cuts].sort((a, b) => a - b)) {
    parts.push(plain.slice(from, at))
    from = at
  }
  return [...parts, plain.slice(from)].join(BREAK)
}

/** A name that the text only begins at its end, or ends at its beginning, could be made whole by the template's text beside it. */
function addEdgeCuts(plain: string, name: string, cuts: Set<number>): void {
  const end = plain.trimEnd().length
  const begin = plain.length - plain.trimStart().length
  for (let length = 1; length < name.length; length++) {
    const head = name.slice(0, length)
    if (plain.endsWith(head)) cuts.add(plain.length - length + firstWidth(name))
    if (end < plain.length && plain.endsWith(head, end)) cuts.add(end - length + firstWidth(name))
    const tail = name.slice(length)
    if (plain.startsWith(tail)) cuts.add(0)
    if (begin > 0 && plain.startsWith(tail, begin)) cuts.add(begin)
  }
}

function firstWidth(name: string): number {
  return (name.codePointAt(0) ?? 0) > 0xffff ? 2 : 1
}

export function withoutBreaks(text: string): string {
  return text.includes(BREAK) ? text.replaceAll(LONE_BREAKS, '') : text
}
