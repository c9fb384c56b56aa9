import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { IndexDoc, IndexEngine, IndexQuery, Match } from './search-index.ts'

const term = (word: string, field: 'all' | 'title' = 'all'): Match => ({ kind: 'term', field, term: word })
const phrase = (...terms: string[]): Match => ({ kind: 'phrase', field: 'all', terms })

function doc(key: number, all: string, more: Partial<IndexDoc> = {}): IndexDoc {
  const plain = { key, owner: key, all, title: '', sites: ['example.org'], language: 'en', fileType: 'html' }
  return { ...plain, time: 1_000_000, adult: false, ...more }
}

function query(match: Match, more: Partial<IndexQuery> = {}): IndexQuery {
  return { match, without: [], filter: {}, titleWeight: 0.3, ...more }
}

/** Every index engine passes this, or it is not one. */
export function testSearchIndex(engine: IndexEngine): void {
  const folders: string[] = []
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  /** An index with `docs` committed, a way to ask it, and its two halves. */
  function open(docs: IndexDoc[]) {
    const folder = mkdtempSync(join(tmpdir(), `index-${engine.name}-`))
    folders.push(folder)
    const writer = engine.openWriter(folder)
    writer.apply({ replaced: docs.map((each) => each.owner), docs })
    writer.commit(1)
    const reader = engine.openReader(folder)
    const ask = (match: Match, more?: Partial<IndexQuery>): number[] => [...reader.search(query(match, more), 100).keys]
    const close = (): void => {
      reader.close()
      writer.close()
    }
    return { folder, writer, reader, ask, close }
  }

  describe(`an index of ${engine.name}`, () => {
    test('finds terms exactly as they were analysed', () => {
      const index = open([doc(1, "c++ node.js 搜索引擎 utf-8 it's"), doc(2, 'c node js 搜索 utf 8 "quoted"')])
      for (const [word, keys] of [
        ['c++', [1]],
        ['c', [2]],
        ['node.js', [1]],
        ['搜索引擎', [1]],
        ['搜索', [2]],
        ['utf-8', [1]],
        ["it's", [1]],
        ['absent', []],
        ['', []],
        ['"', []],
        ['NEAR(', []],
      ] as const) {
        deepEqual(index.ask(term(word)), keys, word)
      }
      index.close()
    })

    test('every asks for all, some for one, best for one way, phrases for order', () => {
      const index = open([doc(1, 'red green blue'), doc(2, 'green red'), doc(3, 'blue')])
      const [red, green, blue] = [term('red'), term('green'), term('blue')]
      deepEqual(index.ask({ kind: 'every', of: [red, green] }).sort(), [1, 2])
      deepEqual(index.ask({ kind: 'some', of: [red, blue] }).sort(), [1, 2, 3])
      deepEqual(index.ask({ kind: 'best', of: [red, blue] }).sort(), [1, 2, 3])
      deepEqual(index.ask(phrase('red', 'green')), [1])
      deepEqual(index.ask(phrase('green')).sort(), [1, 2])
      deepEqual(index.ask({ kind: 'every', of: [] }), [])
      deepEqual(index.ask({ kind: 'anything' }).sort(), [1, 2, 3])
      deepEqual(index.ask({ kind: 'anything' }, { without: [phrase('red', 'green'), blue] }), [2])
      index.close()
    })

    test('a title counts for more, and can be asked alone', () => {
      const filler = 'one two three four five six seven eight'
      const index = open([doc(1, `${filler} apple`), doc(2, `apple ${filler}`, { title: 'apple' })])
      deepEqual(index.ask(term('apple')), [2, 1])
      deepEqual(index.ask(term('apple', 'title')), [2])
      index.close()
    })

    test('helping terms lift what matches and find nothing; every term knows in how many pages it stands', () => {
      const index = open([doc(1, 'x y z'), doc(2, 'x y help'), doc(3, 'help help')])
      const helping = [{ term: 'help', weight: 0.5 }]
      deepEqual(index.ask(term('x'), { helping }), [2, 1])
      const [first = 0, second = 0] = index.reader.search(query(term('x'), { helping }), 10).scores
      const [plain = 0] = index.reader.search(query(term('x')), 10).scores
      ok(first > second && Math.abs(second - plain) < 1e-4)
      equal(index.reader.docFrequency('x'), 2)
      equal(index.reader.docFrequency('absent'), 0)
      index.close()
    })

    test('filters by site, language, file type, time and adult mark', () => {
      const index = open([
        doc(1, 'x', { sites: ['a.example.org', 'example.org', 'org'], time: 100 }),
        doc(2, 'x', { sites: ['notexample.org', 'org'], language: 'zh', time: 200 }),
        doc(3, 'x', { sites: ['b.org', 'org'], fileType: 'pdf', time: 300, adult: true }),
      ])
      const by = (filter: IndexQuery['filter']): number[] => index.ask(term('x'), { filter }).sort()
      deepEqual(by({ sitesAny: ['example.org'] }), [1])
      deepEqual(by({ sitesAny: ['example.org', 'b.org'] }), [1, 3])
      deepEqual(by({ sitesAny: [] }), [])
      deepEqual(by({ sitesNone: ['example.org'] }), [2, 3])
      deepEqual(by({ languages: ['zh'] }), [2])
      deepEqual(by({ fileTypes: ['pdf'] }), [3])
      deepEqual(by({ from: 100, to: 200 }), [1, 2])
      deepEqual(by({ from: 201 }), [3])
      deepEqual(by({ to: 99 }), [])
      deepEqual(by({ from: 5, to: 4 }), [])
      deepEqual(by({ adult: false }), [1, 2])
      deepEqual(by({ adult: true }), [3])
      index.close()
    })

    test('filters say nothing in the score', () => {
      const index = open([doc(1, 'x y'), doc(2, 'x')])
      const plain = index.reader.search(query(term('x')), 10)
      const filtered = index.reader.search(query(term('x'), { filter: { sitesAny: ['example.org'], from: 1 } }), 10)
      deepEqual([...filtered.keys], [...plain.keys])
      for (const [i, score] of plain.scores.entries()) ok(Math.abs(score - (filtered.scores[i] ?? 0)) < 1e-4)
      index.close()
    })

    test('the total is exact and scores fall', () => {
      const index = open(Array.from({ length: 60 }, (_, i) => doc(i, 'x '.repeat(1 + (i % 7)).trim())))
      const hits = index.reader.search(query(term('x')), 10)
      equal(hits.total, 60)
      equal(hits.keys.length, 10)
      deepEqual(
        [...hits.scores],
        [...hits.scores].sort((a, b) => b - a),
      )
      index.close()
    })

    test('what is applied is seen after commit and reload, and replaces all its owner had', () => {
      const index = open([doc(64, 'old', { owner: 1 }), doc(65, 'old', { owner: 1 }), doc(128, 'old', { owner: 2 })])
      const change = { replaced: [1], docs: [doc(64, 'new', { owner: 1 })] }
      index.writer.apply(change)
      index.writer.apply(change)
      deepEqual(index.ask(term('old')).sort(), [128, 64, 65].sort())
      index.writer.commit(2)
      index.reader.reload()
      deepEqual(index.ask(term('old')), [128])
      deepEqual(index.ask(term('new')), [64])
      index.writer.apply({ replaced: [2], docs: [] })
      index.writer.commit(3)
      index.reader.reload()
      deepEqual(index.ask({ kind: 'anything' }), [64])
      equal(index.reader.stats().docs, 1)
      index.close()
    })

    test('the watermark is that of the last commit, also for who comes later', () => {
      const index = open([doc(1, 'x')])
      index.writer.commit(7_000_000_000)
      index.writer.apply({ replaced: [], docs: [doc(2, 'x')] })
      equal(index.writer.committedWatermark(), 7_000_000_000)
      index.close()
      const writer = engine.openWriter(index.folder)
      equal(writer.committedWatermark(), 7_000_000_000)
      writer.close()
      const reader = engine.openReader(index.folder)
      equal(reader.watermark(), 7_000_000_000)
      deepEqual([...reader.search(query(term('x')), 9).keys], [1])
      reader.close()
    })

    test('keys stay right while segments come, merge and go', () => {
      const index = open([])
      for (let round = 0; round < 12; round++) {
        const docs = Array.from({ length: 20 }, (_, i) => doc(round * 10 + i, `x r${round} k${round * 10 + i}`))
        index.writer.apply({ replaced: docs.map((each) => each.key), docs })
        index.writer.commit(round + 2)
        index.reader.reload()
        while (index.reader.warm());
        for (const key of [round * 10, round * 10 + 19]) deepEqual(index.ask(term(`k${key}`)), [key])
      }
      equal(index.reader.search(query(term('x')), 1).total, 130)
      index.close()
    })
  })
}
