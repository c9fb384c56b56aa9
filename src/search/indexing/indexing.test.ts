import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { keepPages, documentsPathOf, rankLinks, openFolder, askPages } from '../../../test/support/local-search.ts'
import { makePage } from '../../../test/support/pages.ts'
import { DocumentsReader } from '../documents/documents-reader.ts'
import { AnchorTally } from './anchor-tally.ts'
import { rankNodes } from './rank-nodes.ts'
import { fileTypeOf, sitesOf } from './to-index-docs.ts'
import { WriterLock } from './writer-lock.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'indexing-'))
  folders.push(folder)
  return folder
}

const link = (url: string, anchor: string) => ({ url, anchor, nofollow: false, navigation: false })

describe('the rank of nodes', () => {
  test('sums up to one, and is higher for what more and better nodes name', () => {
    // 1, 2 and 3 name 0; 0 names 4; nobody names 5.
    const ranks = rankNodes(6, { from: [1, 2, 3, 0], to: [0, 0, 0, 4] })
    ok(Math.abs(ranks.reduce((sum, rank) => sum + rank, 0) - 1) < 1e-9)
    const [named = 0, plain = 0, , , second = 0, lonely = 0] = ranks
    ok(named > plain && second > plain && Math.abs(plain - lonely) < 1e-12)
  })

  test('is finite and positive for any graph', () => {
    const graph = fc.integer({ min: 1, max: 12 }).chain((count) => {
      const node = fc.integer({ min: 0, max: count - 1 })
      return fc.record({ count: fc.constant(count), edges: fc.array(fc.tuple(node, node)) })
    })
    fc.assert(
      fc.property(graph, ({ count, edges }) => {
        const ranks = rankNodes(count, { from: edges.map(([from]) => from), to: edges.map(([, to]) => to) })
        ok(ranks.every((rank) => rank > 0 && rank <= 1 + 1e-9))
      }),
    )
  })
})

test('anchors: the most said come first, each once, and empty words are not counted', () => {
  const tally = new AnchorTally()
  for (const anchor of ['Guide', 'the  guide', 'Guide', 'next', 'Home', ' ', '3', 'click here']) tally.add(1, anchor)
  equal(tally.textOf(1), 'Guide\nthe guide')
  equal(tally.textOf(2), '')
})

test('links give authority to what they name, and their words find it', () => {
  const folder = newFolder()
  keepPages(folder, [
    makePage('https://a.test/', 'Aye.', { links: [link('https://b.test/', 'excellent manual')] }),
    makePage('https://c.test/', 'Sea.', { links: [link('https://b.test/', 'excellent manual')] }),
    makePage('https://b.test/', 'Bee.'),
  ])
  rankLinks(folder)
  const documents = new DocumentsReader(documentsPathOf(folder))
  const authority = documents.all('SELECT authority FROM graph ORDER BY id').map((row) => Number(row['authority']))
  deepEqual(authority, [0, 0, 1])
  equal(documents.anchorsOf(3), 'excellent manual')
  documents.close()
  const pages = [
    makePage('https://a.test/', 'Aye.', { links: [link('https://b.test/', 'excellent manual')] }),
    makePage('https://b.test/', 'Bee.'),
  ]
  const { searcher, close } = openFolder(pages, 'sqlite')
  equal(askPages(searcher, 'excellent manuals').pages.results[0]?.url, 'https://b.test/')
  close()
})

test('a page that names another of the same text as the one to show is not shown beside it', () => {
  const text = 'The same words on two addresses.'
  const copy = makePage('https://a.test/print', text, { canonicalUrl: 'https://a.test/', simhash: [5, 5] })
  const other = makePage('https://a.test/other', 'Other words.', {
    canonicalUrl: 'https://a.test/',
    simhash: [~0 >>> 0, 5],
  })
  const { searcher, close } = openFolder(
    [makePage('https://a.test/', text, { simhash: [5, 4] }), copy, other],
    'sqlite',
  )
  deepEqual(
    askPages(searcher, 'words')
      .pages.results.map(({ url }) => url)
      .sort(),
    ['https://a.test/', 'https://a.test/other'],
  )
  close()
})

test('a host is found under itself and all above it', () => {
  deepEqual(sitesOf('docs.example.org'), ['docs.example.org', 'example.org', 'org'])
})

describe('the file type of a page', () => {
  const cases: [url: string, contentType: string, type: string][] = [
    ['https://a.test/x.pdf', 'application/pdf', 'pdf'],
    ['https://a.test/x', 'application/pdf; q', 'pdf'],
    ['https://a.test/x.php', 'text/html; charset=utf-8', 'html'],
    ['https://a.test/x.htm', '', 'html'],
    ['https://a.test/x.md', 'text/markdown', 'md'],
    ['https://a.test/readme', 'text/plain', 'txt'],
  ]
  for (const [url, contentType, type] of cases) {
    test(`${url} as "${contentType}" is ${type}`, () => equal(fileTypeOf({ url, contentType }), type))
  }
})

test('one writer at a time: the lock is free again when its holder lets go', () => {
  const folder = newFolder()
  const [first, second] = [new WriterLock(folder), new WriterLock(folder)]
  deepEqual([first.take(), second.take()], [true, false])
  first.release()
  equal(second.take(), true)
  second.release()
})
