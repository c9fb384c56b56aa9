import { deepEqual, equal } from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { linkPage } from '../../../test/support/crawl-sites.ts'
import { type Crawled, startCrawl } from '../../../test/support/crawl-run.ts'

async function crawling(t: TestContext, ...parts: Parameters<typeof startCrawl>): Promise<Crawled> {
  const crawled = await startCrawl(...parts)
  t.after(() => crawled.close())
  return crawled
}

describe('a crawl', () => {
  test('follows links of the seed host and keeps each page once', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/one', '/two?utm_source=x', 'http://b.example/', 'mailto:x@y.example', '/file.zip']),
        '/one': linkPage('one', ['/', '/two#part', 'one']),
        '/two': linkPage('two', []),
      },
      'b.example': { '/': linkPage('elsewhere', []) },
    })
    const end = await crawled.run()
    equal(end.why, 'empty')
    equal(end.kept, 3)
    deepEqual([...crawled.kept.keys()].toSorted(), [
      'http://a.example/',
      'http://a.example/one',
      'http://a.example/two',
    ])
    deepEqual(crawled.sites.paths('a.example').toSorted(), ['/', '/one', '/robots.txt', '/sitemap.xml', '/two'])
    deepEqual(crawled.sites.paths('b.example'), [])
  })
})
