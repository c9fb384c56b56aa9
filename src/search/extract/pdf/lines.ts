import { collapse } from '../dom/text.ts'

/** A line as printed: where it stands on its page (from the bottom, in points) and how high its letters are. */
export type PdfLine = { text: string; y: number; height: number }

/** Pieces of text as pdf.js tells them; marks of structure have no `str`. */
type Item = { str?: string; hasEOL?: boolean; transform?: unknown[]; height?: number }

/** Lines of a page, in the order of the file. */
export function readLines(items: readonly unknown[]): PdfLine[] {
  const lines: PdfLine[] = []
  let parts: string[] = []
  let y = 0
  let height = 0
  const flush = (): void => {
    const text = collapse(parts.join(''))
    if (text !== '') lines.push({ text, y, height })
    parts = []
    height = 0
  }
  for (const each of items) {
    const item = each as Item
    if (item.str === undefined) continue
    if (item.str.trim() !== '') {
      const at = Number(item.transform?.[5] ?? 0)
      if (parts.length > 0 && Math.abs(at - y) > Math.max(height, 4) * 0.8) flush()
      y = at
      height = Math.max(height, item.height ?? 0)
    }
    parts.push(item.str)
    if (item.hasEOL === true) flush()
  }
  flush()
  return lines
}

/** A gap of more than a line and a half, or letters of another size, begin a paragraph. */
const GAP = 1.7
const SIZES = 1.15

/** Lines of one paragraph joined; a word that a hyphen parts at a line's end becomes whole. */
export function toParagraphs(lines: PdfLine[]): string[] {
  const paragraphs: string[] = []
  let before: PdfLine | undefined
  for (const line of lines) {
    const text = paragraphs.at(-1)
    if (text === undefined || before === undefined || !belongs(before, line)) paragraphs.push(line.text)
    else paragraphs[paragraphs.length - 1] = join(text, line.text)
    before = line
  }
  return paragraphs.filter((paragraph) => !/^[\d\s./-]*$/.test(paragraph))
}

function belongs(before: PdfLine, line: PdfLine): boolean {
  const size = Math.max(before.height, line.height, 1)
  const gap = before.y - line.y
  const sameSize = size <= SIZES * Math.max(1, Math.min(before.height, line.height))
  return sameSize && gap > 0 && gap < GAP * size
}

function join(text: string, next: string): string {
  if (/\p{L}-$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text) ? text + next : `${text} ${next}`
}
