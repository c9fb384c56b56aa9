import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extracted, linkedData, prose } from '../../../../test/support/extracted.ts'
import { readIcon } from './site.ts'
import { readPage } from './page.ts'
import { simhash } from './simhash.ts'

describe('the title is the page’s, without the site’s name', () => {
  const cases: [head: string, body: string, title: string][] = [
    ['<title>Old boats | Example</title>', '', 'Old boats'],
    ['<title>Old boats - Example.org</title><meta property="og:site_name" content="Example.org">', '', 'Old boats'],
    ['<title>Example: Old boats</title>', '<h1>Old boats</h1>', 'Old boats'],
    ['<meta property="og:title" content="Old boats">', '<h1>Menu</h1>', 'Old boats'],
    ['', '<h1>Old boats</h1>', 'Old boats'],
    ['', '<h1>Old boats<a class="headerlink" href="#x">¶</a></h1>', 'Old boats'],
    ['', '<h1>Learning C#</h1>', 'Learning C#'],
    [linkedData({ '@type': 'Article', headline: 'Old boats' }), '', 'Old boats'],
    ['<title>Ships - and how they sail</title>', '', 'Ships - and how they sail'],
    ['', '', ''],
  ]
  for (const [head, body, title] of cases) test(`${head}${body}`, () => equal(extracted(head, body).title, title))
})

describe('the site’s name and icon', () => {
  test('og:site_name', () =>
    equal(extracted('<meta property="og:site_name" content="The Example">', '').siteName, 'The Example'))
  test('a WebSite of JSON-LD', () =>
    equal(extracted(linkedData({ '@type': 'WebSite', name: 'The Example' }), '').siteName, 'The Example'))
  test('the part of the title that is the host', () =>
    equal(extracted('<title>Boats | Example</title>', '').siteName, 'Example'))
  test('the icon named by the page, absolute', () =>
    equal(extracted('<link rel="shortcut icon" href="/i.png">', '').iconUrl, 'https://www.example.org/i.png'))
  test('no icon where none is named', () => equal(readIcon(readPage('https://example.org/', '<p>x', 0)), undefined))
})

describe('the author', () => {
  const cases: [head: string, body: string, author: string | undefined][] = [
    [
      linkedData({ '@type': 'Article', author: [{ name: 'Ann Smith' }, { name: 'Bob Jones' }] }),
      '',
      'Ann Smith, Bob Jones',
    ],
    ['<meta name="author" content="Ann Smith">', '', 'Ann Smith'],
    ['', '<span class="byline">By Ann Smith</span>', 'Ann Smith'],
    ['', '<a rel="author" href="/ann">Ann Smith</a>', 'Ann Smith'],
    ['<meta name="author" content="admin">', '', undefined],
    ['<meta name="author" content="https://example.org/ann">', '', undefined],
  ]
  for (const [head, body, author] of cases) test(`${head}${body}`, () => equal(extracted(head, body).author, author))
})

describe('the language is that of the words, whatever the template declares', () => {
  const german =
    '<p>Die alten Boote liegen im Winter im Hafen, und die Fischer flicken dort ihre Netze, wenn das Wetter schlecht ist und niemand hinausfahren will.</p>'
  const cases: [lang: string | undefined, body: string, language: string | undefined][] = [
    ['en', german, 'de'],
    [undefined, german, 'de'],
    ['de-AT', '<p>Kurz</p>', 'de'],
    ['en', '<p>冬天，旧船停在港口，渔民们在那里修补渔网。</p>', 'zh'],
    [undefined, '<p>冬になると古い船は港に泊まり、漁師たちは網を直します。</p>', 'ja'],
    [undefined, '<p>겨울에는 낡은 배들이 항구에 있고 어부들은 그물을 고칩니다.</p>', 'ko'],
    [undefined, '<p>Зимой старые лодки стоят в гавани, а рыбаки чинят там свои сети, когда погода плохая.</p>', 'ru'],
    [undefined, '<p>123</p>', undefined],
  ]
  for (const [lang, body, language] of cases) {
    test(`${lang} ${body.slice(3, 20)} → ${language}`, () =>
      equal(extracted('', body, lang === undefined ? {} : { lang }).language, language))
  }
})

test('links: absolute, once, with anchor, nofollow and place', () => {
  const body = `<nav><a href="/about#top">About</a></nav><p><a href="two">Second <b>page</b></a> <a href="/two" rel="nofollow">again</a>
    <a href="/three" rel="ugc">Third</a> <a href="/four"><img src="x.png" alt="Fourth"></a> <a href="#here">x</a> <a href="mailto:a@b.c">m</a> <a href="javascript:x()">j</a></p>`
  deepEqual(extracted('', body).links, [
    { url: 'https://www.example.org/about', anchor: 'About', nofollow: false, navigation: true },
    { url: 'https://www.example.org/blog/two', anchor: 'Second page', nofollow: false, navigation: false },
    { url: 'https://www.example.org/two', anchor: 'again', nofollow: true, navigation: false },
    { url: 'https://www.example.org/three', anchor: 'Third', nofollow: true, navigation: false },
    { url: 'https://www.example.org/four', anchor: 'Fourth', nofollow: false, navigation: false },
  ])
})

test('a base address counts for links, images and the canonical address', () => {
  const page = extracted('<base href="https://cdn.example.net/x/"><link rel="canonical" href="y">', '<a href="z">Z</a>')
  equal(page.canonicalUrl, 'https://cdn.example.net/x/y')
  equal(page.links[0]?.url, 'https://cdn.example.net/x/z')
})

describe('what robots may do', () => {
  const cases: [head: string, header: string | undefined, noindex: boolean, nofollow: boolean][] = [
    ['', undefined, false, false],
    ['<meta name="robots" content="NOINDEX, follow">', undefined, true, false],
    ['<meta name="robots" content="none">', undefined, true, true],
    ['<meta name="unmask" content="nofollow">', undefined, false, true],
    ['<meta name="googlebot" content="noindex">', undefined, false, false],
    ['', 'noindex', true, false],
    ['', 'googlebot: noindex', false, false],
    ['', 'googlebot: noindex, unmask: nofollow', false, true],
    ['', 'unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT', true, false],
    ['', 'unavailable_after: Wed, 03 Dec 2035 13:09:53 GMT', false, false],
  ]
  for (const [head, header, noindex, nofollow] of cases) {
    test(`${head} ${header ?? ''}`, () => {
      const page = extracted(head, '', header === undefined ? {} : { headers: { 'x-robots-tag': header } })
      deepEqual([page.noindex, page.nofollow], [noindex, nofollow])
    })
  }
})

describe('pages for adults are known by label, host and words', () => {
  const words = '<p>Hardcore porn videos: milf blowjob, anal sex, big tits and horny sluts, all xxx and free.</p>'
  test('the RTA label', () =>
    equal(extracted('<meta name="rating" content="RTA-5042-1996-1400-1577-RTA">', prose(2)).adult, 1))
  test('rating adult', () => equal(extracted('<meta name="rating" content="adult">', prose(2)).adult, 1))
  test('an ICRA label', () =>
    ok(
      extracted(
        `<meta http-equiv="pics-label" content='(pics-1.1 "http://www.icra.org/ratingsv02.html" r (nz 1 sz 1))'>`,
        '',
      ).adult >= 0.5,
    ))
  test('words', () => ok(extracted('<title>Free porn</title>', words).adult >= 0.5))
  test('words in Chinese', () => ok(extracted('', '<p>成人视频 无码 巨乳 中出 色情 做爱</p>').adult >= 0.5))
  test('the host with a few words', () =>
    ok(extracted('', '<p>xxx porn here</p>', { url: 'https://www.xvideos.example/' }).adult >= 0.5))
  const harmless: Record<string, string> = {
    medicine:
      '<p>Breast cancer screening: the nipple and the breast are examined; sexual health and contraception are discussed with the patient, and sex education for teens is given in school.</p>',
    'names of places':
      '<p>Scunthorpe, Essex, Sussex, Middlesex, Penistone and Cockermouth are towns and counties of England. Dick Cockburn analyses them.</p>',
    news: `<p>The court discussed a law on pornography.</p>${prose(8)}`,
    cooking: '<p>Chicken breast, cock-a-vin, tit-bits, spotted dick and a hot toddy for adults; teens drink juice.</p>',
  }
  for (const [name, body] of Object.entries(harmless))
    test(`not ${name}`, () => ok(extracted('', body).adult < 0.5, String(extracted('', body).adult)))
})

test('near texts differ in few bits, others in many', () => {
  const text = prose(30).replaceAll(/<[^>]+>/g, ' ')
  const distance = (a: [number, number], b: [number, number]): number =>
    [0, 1].reduce((sum, half) => sum + bits((a[half] ?? 0) ^ (b[half] ?? 0)), 0)
  const bits = (value: number): number => (value >>> 0).toString(2).replaceAll('0', '').length
  ok(distance(simhash(text), simhash(text.replace('Paragraph 7', 'Chapter seven'))) <= 6)
  ok(
    distance(simhash(text), simhash(prose(30, 'castle').replaceAll('boats', 'knights').replaceAll('nets', 'swords'))) >
      6,
  )
  deepEqual(simhash(''), [0, 0])
})
