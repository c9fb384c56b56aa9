import type { PageDocument } from '../document.ts'
import { collapse } from './dom/text.ts'
import type { ExtractInput } from './extract-page.ts'
import { textDocument } from './text-document.ts'

const CHARACTERS_MAX = 2_000_000
const LINES_MAX = 50_000

/** A file of plain text or Markdown: its first line is its title, its paragraphs are parted by empty lines. */
export function extractPlainText(input: ExtractInput): PageDocument {
  const lines = input.html.slice(0, CHARACTERS_MAX).split(/\r\n?|\n/, LINES_MAX)
  const paragraphs: string[] = []
  let open = false
  for (const line of lines) {
    const text = collapse(line)
    const heading = /^#{1,6}\s/.test(line)
    if (text === '' || /^[=*_~#-]{3,}$/.test(text)) open = false
    else if (open && !heading) paragraphs.push(`${paragraphs.pop() ?? ''} ${text}`)
    else {
      paragraphs.push(text.replace(/^#{1,6}\s+/, ''))
      open = !heading
    }
  }
  const headings = lines.filter((line) => /^#{1,6}\s/.test(line)).map((line) => collapse(line.replace(/^#+/, '')))
  const title = (headings[0] ?? paragraphs[0] ?? '').slice(0, 200)
  return textDocument({ ...input, title, text: paragraphs.join('\n'), headings: headings.slice(0, 100) })
}
