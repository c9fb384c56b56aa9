import { getDocumentProxy } from 'unpdf'
import type { LinkRecord } from '../../document.ts'
import { collapse } from '../dom/text.ts'
import { joinHeaders } from '../join-headers.ts'
import { resolve } from '../facts/head.ts'
import type { Extraction, FetchedPage } from '../fetched-page.ts'
import { textDocument } from '../text-document.ts'
import { readLines, toParagraphs, type PdfLine } from './lines.ts'
import { parsePdfDate } from './pdf-date.ts'

/** What of a PDF is read at most: what comes later is left out, and what was read counts. */
const PAGES_MAX = 300
const CHARACTERS_MAX = 1_000_000
const MS_MAX = 8_000
const LINKS_MAX = 500

/** A creation date says when a file was made, which is near to when it was published, and no more. */
const DATE_CONFIDENCE = 0.55

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** Text, title, writer and links of a PDF. A file that is broken, locked or without text (a scan) gives `none` with the reason. */
export async function extractPdf(page: FetchedPage): Promise<Extraction> {
  let pdf: Pdf
  try {
    // pdf.js takes the buffer away: it gets one of its own.
    pdf = await getDocumentProxy(new Uint8Array(page.body), { verbosity: 0, maxImageSize: 0 })
  } catch (error) {
    return { kind: 'none', reason: `the PDF cannot be read: ${error instanceof Error ? error.message : String(error)}` }
  }
  try {
    return await readPdf(pdf, page)
  } catch (error) {
    return { kind: 'none', reason: `the PDF is broken: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

async function readPdf(pdf: Pdf, page: FetchedPage): Promise<Extraction> {
  const info = await readInfo(pdf)
  const { paragraphs, links, firstLines } = await readPages(pdf, page.url)
  const text = paragraphs.join('\n')
  const title = usableTitle(info['Title']) ?? largestLine(firstLines) ?? ''
  if (text === '' && title === '') return { kind: 'none', reason: 'the PDF holds no text' }
  const at = parsePdfDate(textOf(info['CreationDate']))
  const written =
    at !== undefined && at <= page.fetchedAt ? { at, dayOnly: false, confidence: DATE_CONFIDENCE } : undefined
  const author = usableTitle(info['Author'])
  const facts = {
    ...page,
    headers: joinHeaders(page.headers),
    headings: [],
    title,
    text,
    author,
    links,
    published: written,
  }
  return { kind: 'document', document: textDocument(facts) }
}

async function readInfo(pdf: Pdf): Promise<Record<string, unknown>> {
  try {
    return (await pdf.getMetadata()).info as Record<string, unknown>
  } catch {
    // A file may have pages and broken metadata.
    return {}
  }
}

type Read = { paragraphs: string[]; links: LinkRecord[]; firstLines: PdfLine[] }

async function readPages(pdf: Pdf, url: string): Promise<Read> {
  const until = performance.now() + MS_MAX
  const read: Read = { paragraphs: [], links: [], firstLines: [] }
  let characters = 0
  for (let number = 1; number <= Math.min(pdf.numPages, PAGES_MAX); number++) {
    if (characters > CHARACTERS_MAX || performance.now() > until) break
    const page = await pdf.getPage(number)
    const lines = readLines((await page.getTextContent()).items)
    if (number === 1) read.firstLines = lines
    const paragraphs = toParagraphs(lines)
    read.paragraphs.push(...paragraphs)
    characters += paragraphs.reduce((sum, paragraph) => sum + paragraph.length, 0)
    if (read.links.length < LINKS_MAX) addLinks(read.links, await page.getAnnotations(), url)
    page.cleanup()
  }
  return read
}

function addLinks(links: LinkRecord[], annotations: unknown[], base: string): void {
  for (const annotation of annotations) {
    const address = (annotation as { url?: unknown }).url
    const url = typeof address === 'string' ? resolve(address, base) : undefined
    if (url === undefined || links.length >= LINKS_MAX || links.some((link) => link.url === url)) continue
    links.push({ url, anchor: '', nofollow: false, navigation: false })
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Programs write file names and their own names as titles. */
function usableTitle(value: unknown): string | undefined {
  const title = collapse(textOf(value).replaceAll(/\p{Cc}/gu, ' ')).slice(0, 300)
  const none =
    /^(?:untitled|microsoft word\b.*|.*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?|xlsx?|rtf)|title|print|unknown|user|admin)$/i
  return title.length < 3 || none.test(title) || !/\p{L}/u.test(title) ? undefined : title
}

/** The largest letters of the first page, over as many lines as they take. */
function largestLine(lines: PdfLine[]): string | undefined {
  const size = Math.max(0, ...lines.filter(({ text }) => /\p{L}{2}/u.test(text)).map((line) => line.height))
  const from = lines.findIndex((line) => line.height >= 0.98 * size && /\p{L}/u.test(line.text))
  if (from < 0) return undefined
  const title: string[] = []
  for (const line of lines.slice(from, from + 4)) {
    if (line.height < 0.95 * size) break
    title.push(line.text)
  }
  return title.join(' ').slice(0, 300)
}
