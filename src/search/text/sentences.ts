/** A sentence of a text: `text` is trimmed, `start` and `end` are its place in the text as given. */
export type Sentence = { text: string; start: number; end: number }

/** A sentence longer than this is cut: some pages never write a full stop. */
const SENTENCE_MAX = 1_000
/** Words before a full stop that does not end a sentence, in the languages met most. */
const ABBREVIATIONS = new Set(
  'mr mrs ms dr prof sr jr st vs etc e.g i.e eg ie al fig no nos vol pp ed eds inc ltd co corp jan feb mar apr jun jul aug sep sept oct nov dec approx dept est gen gov rep sen z.b d.h u.a u.s u.k usw bzw ca nr str evtl ggf inkl vgl abb bd hrsg p.ex c.-à-d m mm mme mlle av env ej ud uds sra núm pág ecc sig т.е т.д т.п г гг руб тыс млн др им ул'.split(
    ' ',
  ),
)
const END = /[.!?…]+["'”’»)\]]*(?=\s|$)|[。！？｡]+["'”’」』）】]*|\n+/gu

/** Sentences in order; a line break always ends one. `language` is free for rules to come: the marks tell enough so far. */
export function sentences(text: string, _language?: string): Sentence[] {
  const found: Sentence[] = []
  let start = 0
  END.lastIndex = 0
  for (let match = END.exec(text); match !== null; match = END.exec(text)) {
    const end = match.index + match[0].length
    if (match[0][0] === '.' && !endsSentence(text, start, match.index, end)) continue
    start = add(found, text, start, end)
  }
  add(found, text, start, text.length)
  return found
}

/** A full stop ends nothing after an abbreviation or an initial, or before a small letter. */
function endsSentence(text: string, start: number, stop: number, end: number): boolean {
  const next = /\S/.exec(text.slice(end, end + 8))?.[0]
  if (next === undefined) return true
  if (/\p{Ll}/u.test(next)) return false
  const word = /[\p{L}\p{N}.-]*$/u.exec(text.slice(Math.max(start, stop - 24), stop))?.[0] ?? ''
  if (/^\p{Lu}$/u.test(word)) return false
  return !ABBREVIATIONS.has(word.toLowerCase()) && !/^\d{1,2}$/.test(word)
}

function add(found: Sentence[], text: string, from: number, to: number): number {
  let start = from
  while (to - start > SENTENCE_MAX) {
    const space = text.lastIndexOf(' ', start + SENTENCE_MAX)
    const cut = space > start ? space : start + SENTENCE_MAX
    push(found, text, start, cut)
    start = cut
  }
  push(found, text, start, to)
  return to
}

function push(found: Sentence[], text: string, start: number, end: number): void {
  const piece = text.slice(start, end)
  const trimmed = piece.trim()
  if (trimmed === '') return
  const at = start + piece.indexOf(trimmed)
  found.push({ text: trimmed, start: at, end: at + trimmed.length })
}
