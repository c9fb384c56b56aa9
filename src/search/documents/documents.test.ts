import { deepEqual, equal } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { makePage } from '../../../test/support/pages.ts'
import { DocumentsReader } from './documents-reader.ts'
import { DocumentsWriter } from './documents-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'documents-'))
const path = join(folder, 'documents.db')
const writer = new DocumentsWriter(path)
const reader = new DocumentsReader(path)
after(() => {
  reader.close()
  writer.close()
  rmSync(folder, { recursive: true, force: true })
})

const link = (url: string, anchor: string, more = {}) => ({ url, anchor, nofollow: false, navigation: false, ...more })
const image = (url: string, more = {}) => ({ url, name: url, context: '', prominence: 0.5, ...more })

describe('documents', () => {
  test('a page kept again keeps its id and the time it was first seen, and comes anew in the order of changes', () => {
    const first = writer.keep(makePage('https://a.test/', 'One.', { firstSeenAt: 5_000, fetchedAt: 5_000 }))
    const other = writer.keep(makePage('https://b.test/', 'Other.'))
    equal(writer.keep(makePage('https://a.test/', 'Two.', { firstSeenAt: 9_000, fetchedAt: 9_000 })), first)
    const page = reader.findByUrl('https://a.test/')
    deepEqual([page?.firstSeenAt, page?.fetchedAt, page?.title], [5_000, 9_000, 'Two'])
    equal(reader.findBody(first)?.text, 'Two.')
    deepEqual(
      reader.changedAfter(0, 10).map(({ id }) => id),
      [other, first],
    )
    deepEqual(reader.changedAfter(reader.lastSeq(), 10), [])
  })

  test('what is removed is met as gone, without content; kept again it is there', () => {
    const id = writer.keep(makePage('https://gone.test/', 'Gone.', { images: [image('https://gone.test/i.png')] }))
    const before = reader.lastSeq()
    equal(writer.remove('https://gone.test/'), true)
    equal(writer.remove('https://gone.test/'), false)
    equal(writer.remove('https://never.test/'), false)
    deepEqual(
      reader.changedAfter(before, 10).map((page) => [page.id, page.gone]),
      [[id, true]],
    )
    deepEqual([reader.findBody(id), reader.thingsOf('images', id)], [undefined, []])
    equal(writer.keep(makePage('https://gone.test/', 'Back.')), id)
    equal(reader.findPage(id)?.gone, false)
  })

  test('a page that asks not to be found is met as gone', () => {
    const id = writer.keep(makePage('https://hidden.test/', 'Hidden.', { noindex: true }))
    equal(reader.findPage(id)?.gone, true)
  })

  test('links that say nofollow are not kept, nor those to the page itself; the first anchor that says something stays', () => {
    const url = 'https://links.test/'
    const links = [
      link('https://x.test/', ''),
      link('https://x.test/', 'X', { navigation: true }),
      link('https://x.test/', 'later'),
      link('https://y.test/', 'Y', { nofollow: true }),
      link(url, 'self'),
    ]
    deepEqual(reader.findLinks(writer.keep(makePage(url, 'Links.', { links }))), [['https://x.test/', 'X', 1]])
    deepEqual(reader.findLinks(writer.keep(makePage(url, 'Links.', { links, nofollow: true }))), [])
  })

  test('buttons, spacers and nameless images are no results; what the page is about comes first', () => {
    const images = [
      image('https://i.test/plain.png'),
      image('https://i.test/button.png', { width: 30, height: 200 }),
      image('https://i.test/nameless.png', { name: '' }),
      image('https://i.test/main.png', { prominence: 1, width: 800, height: 600 }),
    ]
    const id = writer.keep(makePage('https://i.test/', 'Images.', { images }))
    const urls = reader.thingsOf('images', id).map(({ record }) => record.url)
    deepEqual(urls, ['https://i.test/main.png', 'https://i.test/plain.png'])
  })

  test('an unsure date is kept and not told', () => {
    const published = { at: 7, dayOnly: false, confidence: 0.2 }
    equal(reader.findPage(writer.keep(makePage('https://d.test/', 'Date.', { published })))?.published, undefined)
    const sure = { ...published, confidence: 0.9 }
    const page = reader.findPage(writer.keep(makePage('https://d.test/', 'Date.', { published: sure })))
    deepEqual(page?.published, { at: 7, dayOnly: false })
  })

  test('many pages at once are kept all or none', () => {
    const broken = makePage('https://broken.test/', 'Broken.', { fetchedAt: Number.NaN })
    const pages = [{ page: makePage('https://whole.test/', 'Whole.') }, { page: broken }]
    let failed = false
    try {
      writer.keepAll(pages)
    } catch {
      failed = true
    }
    equal(failed, true)
    equal(reader.findByUrl('https://whole.test/'), undefined)
  })

  test('a file of a newer program is refused with a sentence', () => {
    const newer = join(folder, 'newer.db')
    new DocumentsWriter(newer).close()
    const file = new DatabaseSync(newer)
    file.exec("UPDATE meta SET value = 99 WHERE name = 'format'")
    file.close()
    let told = ''
    try {
      new DocumentsReader(newer).close()
    } catch (error) {
      told = String(error)
    }
    equal(told.includes('has format 99; this program reads 1'), true)
  })
})
