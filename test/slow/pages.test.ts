/** The pages for people in a real browser: no accessibility violation, nothing wider than the window, usable by keyboard. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type Page } from 'playwright-core'
import sharp from 'sharp'
import { startServer } from '../support/api-server.ts'
import { imageResult, pageResult, videoResult } from '../support/memory-search.ts'

/** Debian's. Where there is none, `.ci/run` says so; a browser is nothing that npm brings. */
const CHROMIUM = '/usr/bin/chromium'

const server = await startServer({ keylessPerMinute: 100_000 })
const { search, pictures, listening } = server
const deepLinks = ['Start', 'Guide', 'Reference'].map((name) => ({
  name,
  url: `https://a.example/${name}`,
  snippet: '',
}))
search.pages = Array.from({ length: 45 }, (_, i) =>
  pageResult({
    url: `https://a.example/${'a-long-path/'.repeat(i % 7)}${i}`,
    title: `The sea, part ${i}`,
    language: i === 1 ? 'de' : 'en',
    deepLinks: i === 0 ? deepLinks : [],
  }),
)
search.images = Array.from({ length: 12 }, (_, i) =>
  imageResult({ name: `Sea ${i}`, contentUrl: `https://a.example/${i}.jpg` }),
)
const { thumbnailUrl, ...bare } = videoResult({ name: 'Sea without a still' })
ok(thumbnailUrl)
search.videos = [videoResult({ name: 'Sea film' }), bare]
const picture = await sharp({ create: { width: 480, height: 360, channels: 3, background: '#336699' } })
  .webp()
  .toBuffer()
for (const { contentUrl } of search.images) pictures.known.set(contentUrl, { type: 'image/webp', bytes: picture })

const SEARCHES = ['', '?q=sea', '?q=sea&page=3&freshness=2025-01-01', '?q=sea&type=images', '?q=sea&type=videos']
const ODD = ['?q=zebra&site=a.example', '?q=sea&site=not%20a%20host']
const MANUAL = ['', 'diffusion/', 'start-ja/', 'configuration/', 'api/']
const PATHS = [
  '/',
  ...[...SEARCHES, ...ODD].map((query) => `/search${query}`),
  ...MANUAL.map((page) => `/docs/${page}`),
]
const WINDOWS = {
  'wide, light': { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  'narrow, dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
} as const

describe('pages in a browser', { skip: !existsSync(CHROMIUM) && `there is no ${CHROMIUM}` }, async () => {
  let browser: Browser | undefined
  after(async () => await browser?.close())
  const open = async (window: keyof typeof WINDOWS, javaScriptEnabled = true): Promise<Page> => {
    browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
    const context = await browser.newContext({ ...WINDOWS[window], ignoreHTTPSErrors: true, javaScriptEnabled })
    return await context.newPage()
  }

  for (const window of Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]) {
    test(`${window}: zero axe violations, nothing wider than the window, nothing refused by the policy`, async () => {
      const page = await open(window)
      const refused: string[] = []
      page.on('console', (message) => {
        if (/Content Security Policy/.test(message.text())) refused.push(message.text())
      })
      for (const path of PATHS) {
        await page.goto(listening.baseUrl + path)
        const { violations } = await new AxeBuilder({ page }).analyze()
        deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`),
          [],
          path,
        )
        const [inner, outer] = (await page.evaluate(
          '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
        )) as [number, number]
        ok(inner <= outer, `${path} is ${inner} wide in a window of ${outer}`)
      }
      deepEqual(refused, [])
      await page.context().close()
    })
  }
  test('the keyboard is enough: / goes to the box, Enter sends, j and k walk the results', async () => {
    const page = await open('wide, light')
    await page.goto(`${listening.baseUrl}/search?q=sea`)
    await page.keyboard.press('/')
    await page.keyboard.type('the sea')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=the\+sea/)
    await page.keyboard.press('j')
    const first = await page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    equal(await page.evaluate('document.activeElement.textContent'), first)
    await page.context().close()
  })
  test('without JavaScript the form, the tabs and the pages work', async () => {
    const page = await open('narrow, dark', false)
    await page.goto(`${listening.baseUrl}/search`)
    await page.fill('#q', 'sea')
    await page.selectOption('select', 'oneYear')
    await page.click('button')
    await page.waitForURL(/freshness=oneYear/)
    await page.click('a[rel=next]')
    await page.waitForURL(/page=2/)
    await page.click('nav[aria-label="Kinds of results"] a:nth-child(2)')
    await page.waitForURL(/type=images/)
    equal(await page.locator('.images > li').count(), 12)
    await page.context().close()
  })
})
