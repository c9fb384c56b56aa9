import { createRequire } from 'node:module'
import type { Jieba } from '@node-rs/jieba'
import type { Piece } from './segment.ts'

type JiebaPackage = { Jieba: typeof Jieba }

let cutter: Jieba | undefined

/** Words of a Han run, and the words inside long words: 长江大桥 is also 长江 and 大桥 (jieba's search mode). */
export function cutChinese(run: string): Piece[] {
  const pieces: Piece[] = []
  let cursor = 0
  for (const term of chineseCutter().cutForSearch(run, true)) {
    const start = placeOf(run, term, cursor)
    if (start < 0) continue
    pieces.push({ term, start, end: start + term.length })
    // A part that stands later in its word than the cursor leaves the cursor: the whole word follows.
    if (start <= cursor) cursor = Math.max(cursor, start + term.length)
  }
  return pieces
}

/** Parts come before their word, so a term begins at the cursor, shortly before it or, rarely, behind it. */
function placeOf(run: string, term: string, cursor: number): number {
  if (run.startsWith(term, cursor)) return cursor
  const before = run.lastIndexOf(term, cursor)
  if (before >= 0 && cursor - before <= 16) return before
  return run.indexOf(term, cursor)
}

/** The dictionary takes half a second and some 60 MB: loaded by the first Chinese run. */
function chineseCutter(): Jieba {
  if (cutter !== undefined) return cutter
  const load = createRequire(import.meta.url)
  const { Jieba } = load('@node-rs/jieba') as JiebaPackage
  const { dict } = load('@node-rs/jieba/dict') as { dict: Uint8Array }
  cutter = Jieba.withDict(dict)
  return cutter
}
