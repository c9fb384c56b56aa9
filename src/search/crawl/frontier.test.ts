import { deepEqual, equal } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { Frontier, type NewItem } from './frontier.ts'

const NOW = 1_000_000

function openFrontier(t: TestContext): { frontier: Frontier; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'unmask-frontier-'))
  const path = join(folder, 'frontier.db')
  const frontier = new Frontier(path)
  t.after(() => {
    frontier.close()
    rmSync(folder, { recursive: true })
  })
  return { frontier, path }
}

function pageAt(url: string, more: Partial<NewItem> = {}): NewItem {
  return { url, kind: 'page', priority: 50, depth: 1, redirects: 0, ...more }
}

describe('the frontier', () => {
  test('takes a URL once a run, and gives the best of a host first', (t) => {
    const { frontier } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    const items = [
      pageAt('http://a.example/1'),
      pageAt('http://a.example/2', { priority: 60 }),
      pageAt('http://a.example/1'),
      pageAt('http://b.example/'),
    ]
    deepEqual(frontier.add(id, items, NOW), ['a.example', 'a.example', 'b.example'])
    deepEqual([...frontier.waiting(id)].toSorted(), [
      ['a.example', 2],
      ['b.example', 1],
    ])
    equal(frontier.peek(id, 'a.example')?.url, 'http://a.example/2')
  })

  test('a URL that failed waits behind those that have not', (t) => {
    const { frontier } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    frontier.add(id, [pageAt('http://a.example/best', { priority: 90 }), pageAt('http://a.example/other')], NOW)
    const best = frontier.peek(id, 'a.example')
    if (best !== undefined) frontier.retry(best)
    equal(frontier.peek(id, 'a.example')?.url, 'http://a.example/other')
  })

  test('goes on with an unfinished run of the same job; what was in flight waits again, three times at most', (t) => {
    const { frontier, path } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    frontier.add(id, [pageAt('http://a.example/')], NOW)
    for (let crash = 0; crash < 4; crash++) {
      const again = new Frontier(path)
      deepEqual(again.beginRun('job', NOW), { id, resumed: true })
      const item = again.peek(id, 'a.example')
      equal(item?.url, crash < 4 ? 'http://a.example/' : undefined)
      if (item !== undefined) again.take(item, NOW)
      again.close()
    }
    frontier.beginRun('job', NOW)
    deepEqual(frontier.states(id), { failed: 1 })
    equal(frontier.beginRun('another job', NOW).resumed, false)
  })

  test('an unfinished run is forgotten when another begins a month later', (t) => {
    const { frontier } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    frontier.add(id, [pageAt('http://a.example/')], NOW)
    frontier.beginRun('another', NOW + 29 * 86_400_000)
    deepEqual(frontier.states(id), { waiting: 1 })
    frontier.beginRun('a third', NOW + 31 * 86_400_000)
    deepEqual(frontier.states(id), {})
    equal(frontier.beginRun('job', NOW + 31 * 86_400_000).resumed, false)
  })

  test('being told to stop is no failure', (t) => {
    const { frontier } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    frontier.add(id, [pageAt('http://a.example/')], NOW)
    for (let stop = 0; stop < 5; stop++) {
      const item = frontier.peek(id, 'a.example')
      if (item !== undefined) frontier.take(item, NOW)
      frontier.putBackTaken(id)
    }
    equal(frontier.peek(id, 'a.example')?.tries, 0)
  })

  test('remembers when a host may be asked, and what it knows of pages, after the run and the process', (t) => {
    const { frontier, path } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    frontier.add(id, [pageAt('http://a.example/')], NOW)
    const item = frontier.peek(id, 'a.example')
    if (item !== undefined) frontier.take(item, NOW + 5000)
    const page = {
      firstSeenAt: NOW,
      fetchedAt: NOW + 1,
      etag: '"x"',
      digest: 'sha256:00',
      place: { file: 'f.warc.gz', offset: 7, private: true },
      storedAt: NOW + 1,
    }
    frontier.sites.savePage('http://a.example/', 200, page)
    frontier.endRun(id, NOW)
    const again = new Frontier(path)
    t.after(() => again.close())
    equal(again.sites.host('a.example').nextAt, NOW + 5000)
    deepEqual(again.sites.knownPage('http://a.example/'), page)
    equal(again.beginRun('job', NOW).resumed, false)
  })

  test('the more pages of one pattern wait, the further behind new ones go', (t) => {
    const { frontier } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    const many = Array.from({ length: 400 }, (_, i) => pageAt(`http://a.example/item/${i}`, { priority: 55 }))
    frontier.add(id, [...many, pageAt('http://a.example/about')], NOW)
    const order: string[] = []
    for (let item = frontier.peek(id, 'a.example'); item !== undefined; item = frontier.peek(id, 'a.example')) {
      order.push(item.url)
      frontier.finish(id, item, 'done', [], NOW)
    }
    const place = order.indexOf('http://a.example/about')
    equal(order.length, 401)
    equal(place > 50 && place < 300, true, `/about came as number ${place}`)
  })

  test('twenty pages in a row that say the same make their pattern a trap', (t) => {
    const { frontier } = openFrontier(t)
    const { id } = frontier.beginRun('job', NOW)
    const many = Array.from({ length: 30 }, (_, i) => pageAt(`http://a.example/day/${i}`))
    frontier.add(id, [...many, pageAt('http://a.example/about')], NOW)
    const pattern = frontier.peek(id, 'a.example')?.pattern ?? 0
    const lost: string[] = []
    for (let i = 0; i < 21; i++) {
      const item = frontier.peek(id, 'a.example')
      if (item !== undefined) frontier.finish(id, item, 'kept', [], NOW)
      lost.push(...frontier.noteContent(id, pattern, 'the same'))
    }
    equal(lost.length, 9)
    equal(frontier.peek(id, 'a.example')?.url, 'http://a.example/about')
    deepEqual(frontier.add(id, [pageAt('http://a.example/day/31')], NOW), [])
  })
})
