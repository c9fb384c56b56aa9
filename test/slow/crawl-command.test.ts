/** `unmask crawl` and `unmask search` without a server: the crawl indexes what it keeps. */
import { equal, match, ok } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startLocalSite } from '../support/local-site.ts'
import { startProgram } from '../support/tiny-product.ts'

const folder = mkdtempSync(join(tmpdir(), 'unmask-crawl-command-'))
const site = await startLocalSite(5)
after(async () => {
  await site.close()
  rmSync(folder, { recursive: true })
})
const run = async (...words: string[]): Promise<{ code: number | string; out: string; told: string }> => {
  const program = startProgram([...words, '--data', folder], {})
  const code = await program.ended
  return { code, out: program.stdout(), told: program.stderr() }
}
const ALLOW = ['--set', 'crawler.allowPrivate=true', '--set', 'crawler.delayMs=0']

test('before anything was crawled, search says what to do', async () => {
  const { code, told } = await run('search', 'tide')
  equal(code, 1)
  match(told, /nothing has been crawled .* yet: see "unmask crawl --help"/)
})

test('a private address is refused with the setting that allows it, and nothing is asked', async () => {
  const { code, told } = await run('crawl', site.base)
  equal(code, 1)
  match(told, /on a private network or another port\. Set crawler\.allowPrivate/)
  ok(!told.includes('    at '))
  equal(site.asked.length, 0)
})

test('a number that is none is wrong use', async () => {
  const { code, told } = await run('crawl', site.base, '--pages', 'many')
  equal(code, 2)
  match(told, /--pages is many; allowed: a whole number from 1 to/)
})

test('a crawl ends with its pages in the index, robots.txt asked first', async () => {
  const { code, out, told } = await run('crawl', `${site.base}/`, ...ALLOW)
  equal(code, 0, told)
  match(out, /^8 pages kept of \d+ answers \([\d.]+ MB\); they are in the index\. Nothing more was found to fetch\./)
  equal(site.asked[0], '/robots.txt')
  const found = await run('search', 'tide', 'keeper', '--why')
  match(found.out, /Chapter 3: the tide[\s\S]*text \d/)
  const asJson = JSON.parse((await run('search', 'schooner', '--json')).out) as { images: { total: number } }
  equal(asJson.images.total, 1)
})

test('--pages and --depth are kept to', async () => {
  const { out } = await run('crawl', `${site.base}/`, '--pages', '3', '--json', ...ALLOW)
  const end = JSON.parse(out) as { kind: string; why: string; kept: number }
  equal(`${end.why} ${end.kept}`, 'pages_max 3')
})
