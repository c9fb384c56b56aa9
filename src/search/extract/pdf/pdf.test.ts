import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { makePdf, type PdfParts } from '../../../../test/support/make-pdf.ts'
import type { PageDocument } from '../../document.ts'
import { extract } from '../extract.ts'
import type { Extraction } from '../fetched-page.ts'
import { parsePdfDate } from './pdf-date.ts'

const times = { fetchedAt: Date.UTC(2026, 5, 1), firstSeenAt: 0 }

async function read(body: Uint8Array, url = 'https://example.org/papers/boats%20old.pdf'): Promise<Extraction> {
  return await extract({ url, contentType: 'application/pdf', headers: [], body, ...times })
}

async function documentOf(parts: PdfParts): Promise<PageDocument> {
  const extraction = await read(makePdf(parts))
  if (extraction.kind === 'none') throw new Error(extraction.reason)
  return extraction.document
}

const line = (text: string, size?: number): { text: string; size?: number } =>
  size === undefined ? { text } : { text, size }
const body = [
  line('The old boats lie in the har-'),
  line('bour in winter, and the people'),
  line('mend their nets.'),
  line(''),
  line('A second paragraph begins here.'),
]

test('text is read in paragraphs, words parted at a line’s end become whole', async () => {
  const { text, language, contentType } = await documentOf({
    title: 'Old boats',
    pages: [body, [line('The last page of all.')]],
  })
  equal(
    text,
    'The old boats lie in the harbour in winter, and the people mend their nets.\nA second paragraph begins here.\nThe last page of all.',
  )
  equal(language, 'en')
  equal(contentType, 'application/pdf')
})

test('title, writer, day and links are those that the file tells', async () => {
  const found = await documentOf({
    title: 'Old boats',
    author: 'Ann Smith',
    created: "D:20250203120000+02'00'",
    link: 'https://example.org/next',
    pages: [body],
  })
  equal(found.title, 'Old boats')
  equal(found.author, 'Ann Smith')
  equal(found.published?.at, Date.parse('2025-02-03T10:00:00Z'))
  deepEqual(
    found.links.map(({ url }) => url),
    ['https://example.org/next'],
  )
})

describe('a title that says nothing is replaced by the largest letters, and those by the file’s name', () => {
  for (const title of ['untitled', 'Microsoft Word - boats.doc', 'paper.tex', '', '---']) {
    test(title, async () =>
      equal(
        (
          await documentOf({
            title,
            pages: [[line('ACME REPORTS', 9), line('The Winter of', 24), line('Old Boats', 24), ...body]],
          })
        ).title,
        'The Winter of Old Boats',
      ),
    )
  }
})

describe('a PDF that cannot be read gives the reason', () => {
  const whole = makePdf({ title: 'Old boats', pages: [body] })
  const cases: Record<string, Uint8Array> = {
    'nothing at all': new Uint8Array(),
    'another file': new TextEncoder().encode('<html>not found</html>'),
    'the first half': whole.subarray(0, 100),
    'a scan without text': makePdf({ pages: [[]] }),
  }
  for (const [name, bytes] of Object.entries(cases)) {
    test(name, async () => {
      const found = await read(bytes)
      ok(found.kind === 'none' && found.reason.length > 10, JSON.stringify(found).slice(0, 200))
    })
  }
})

test('a date of the future, or none, is not told', async () => {
  equal((await documentOf({ title: 'Old boats', created: 'D:20300101', pages: [body] })).published, undefined)
  equal((await documentOf({ title: 'Old boats', created: 'yesterday', pages: [body] })).published, undefined)
  equal(parsePdfDate('D:2025'), Date.parse('2025-01-01T00:00:00Z'))
  equal(parsePdfDate('D:20251399'), undefined)
})

test('bytes changed anywhere: a document or a reason, never an error', async () => {
  const whole = makePdf({ title: 'Old boats', author: 'Ann', link: 'https://example.org/', pages: [body] })
  const change = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(change, fc.nat(whole.length), async (changes, length) => {
      const broken = new Uint8Array(whole)
      for (const [at, value] of changes) broken[at] = value
      for (const bytes of [broken, broken.subarray(0, length)])
        ok(['document', 'none'].includes((await read(bytes)).kind))
    }),
    { numRuns: 60 },
  )
})
