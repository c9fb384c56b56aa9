import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FetchedPage } from './fetched-page.ts'
import { ExtractPool } from './pool.ts'

const hostile = new URL('../../../test/support/hostile-thread.ts', import.meta.url)
const never = new AbortController().signal

function page(text: string, url = 'https://example.org/'): FetchedPage {
  return { url, contentType: 'text/html', headers: [], fetchedAt: 0, firstSeenAt: 0, body: new Uint8Array(), text }
}

describe('a page that hangs or kills its thread is given up with a reason, and others go on', () => {
  const cases: Record<string, RegExp> = {
    hang: /took longer than 500 ms/,
    exit: /ended its thread with 3/,
    throw: /ended its thread: thrown in a thread/,
    eat: /ended its thread/,
  }
  for (const [text, reason] of Object.entries(cases)) {
    test(text, async () => {
      const pool = new ExtractPool({
        threads: 1,
        pageMsMax: text === 'hang' ? 500 : 20_000,
        heapMbMax: 32,
        thread: hostile,
      })
      const [bad, good] = await Promise.all([pool.extract(page(text), never), pool.extract(page('good', 'u2'), never)])
      ok(bad.kind === 'none' && reason.test(bad.reason), JSON.stringify(bad))
      deepEqual(good, { kind: 'none', reason: 'read u2' })
      await pool.close()
    })
  }
})

test('pages are read beside one another, each gets its own answer', async () => {
  const pool = new ExtractPool({ threads: 2, pageMsMax: 10_000 })
  const pages = Array.from({ length: 12 }, (_, i) =>
    page(`<title>Page ${i}</title><p>x</p>`, `https://example.org/${i}`),
  )
  const found = await Promise.all(pages.map(async (each) => await pool.extract(each, never)))
  deepEqual(
    found.map((extraction) =>
      extraction.kind === 'document' ? `${extraction.document.url} ${extraction.document.title}` : '',
    ),
    pages.map((_, i) => `https://example.org/${i} Page ${i}`),
  )
  await pool.close()
})

test('who leaves gets the signal’s reason, and the thread goes on with the next', async () => {
  const pool = new ExtractPool({ threads: 1, pageMsMax: 10_000, thread: hostile })
  const leaving = new AbortController()
  const left = pool.extract(page('good'), leaving.signal)
  leaving.abort(new Error('left'))
  await rejects(left, /left/)
  deepEqual(await pool.extract(page('good', 'u2'), never), { kind: 'none', reason: 'read u2' })
  await rejects(pool.extract(page('good'), AbortSignal.abort(new Error('gone'))), /gone/)
  await pool.close()
})

test('a closed pool refuses, and whoever waits is told', async () => {
  const pool = new ExtractPool({ threads: 1, pageMsMax: 10_000, thread: hostile })
  const waiting = pool.extract(page('hang'), never)
  const refused = rejects(waiting, /closed/)
  await pool.close()
  await refused
  await rejects(pool.extract(page('good'), never), /closed/)
})

test('the bytes of the caller stay the caller’s', async () => {
  const pool = new ExtractPool({ threads: 1, pageMsMax: 10_000 })
  const body = new TextEncoder().encode('%PDF-1.4 broken')
  const { text: _text, ...pdf } = page('')
  const found = await pool.extract({ ...pdf, contentType: 'application/pdf', body }, never)
  equal(found.kind, 'none')
  equal(new TextDecoder().decode(body), '%PDF-1.4 broken')
  await pool.close()
})
