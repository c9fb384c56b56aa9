import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extracted, linkedData, prose } from '../../../../test/support/extracted.ts'
import type { ImageRecord } from '../../document.ts'
import { parseSrcset } from './images.ts'
import { parseDuration } from './videos.ts'

const base = 'https://www.example.org'
const imageOf = (head: string, body = ''): ImageRecord | undefined =>
  extracted(head, `<article><h1>Boats</h1>${prose(3)}${body}</article>`).images[0]

describe('pictures are found wherever a page tells of them', () => {
  const cases: Record<string, [head: string, body: string]> = {
    'Open Graph': ['<meta property="og:image" content="/boat.jpg">', ''],
    'a twitter card': ['<meta name="twitter:image" content="/boat.jpg">', ''],
    'JSON-LD of the article': [
      linkedData({ '@type': 'Article', image: { '@type': 'ImageObject', url: '/boat.jpg' } }),
      '',
    ],
    'JSON-LD of a product': [linkedData({ '@type': 'Product', image: ['/boat.jpg'] }), ''],
    'an ImageObject': [linkedData({ '@type': 'ImageObject', contentUrl: '/boat.jpg' }), ''],
    'an img in the text': ['', '<img src="/boat.jpg" alt="A boat">'],
    'a lazy img': ['', '<img src="data:image/gif;base64,x" data-src="/boat.jpg" alt="A boat">'],
    'a srcset': ['', '<img src="/small.jpg" srcset="/small.jpg 300w, /boat.jpg 1200w" alt="A boat">'],
    'a picture element': ['', '<picture><source srcset="/boat.jpg 2x"><img src="/small.jpg" alt="A boat"></picture>'],
    'a figure': ['', '<figure><img src="/boat.jpg"><figcaption>A boat</figcaption></figure>'],
  }
  for (const [name, [head, body]] of Object.entries(cases))
    test(name, () => equal(imageOf(head, body)?.url, `${base}/boat.jpg`))
})

test('a picture has its name, what stands around it, size, format and the page’s date', () => {
  const head = '<meta property="article:published_time" content="2025-02-03">'
  const image = imageOf(
    head,
    '<h2>In winter</h2><figure><img src="/a/boat.webp" alt="A red boat" width="800" height="600px"><figcaption>The boat of Ann</figcaption></figure>',
  )
  deepEqual([image?.name, image?.width, image?.height, image?.format], ['A red boat', 800, 600, 'webp'])
  for (const words of ['The boat of Ann', 'In winter', 'Boats']) ok(image?.context.includes(words) === true)
  equal(image?.published?.dayOnly, true)
})

test('logos, icons, pixels and pictures of the frame are not taken', () => {
  const body = `<header><img src="/big.jpg" alt="x"></header><article>${prose(3)}<img src="/logo.png"><img src="/icon-share.svg"><img src="/p.gif" width="1" height="1"><img src="/small.jpg" width="40" height="40"><img class="avatar" src="/ann.jpg"></article>`
  deepEqual(extracted('', body).images, [])
})

test('one picture told in several ways is one picture, and the more prominent', () => {
  const head = '<meta property="og:image" content="/boat.jpg">'
  const images = extracted(head, `<article>${prose(3)}<img src="/boat.jpg" alt="A boat"></article>`).images
  equal(images.length, 1)
  ok((images[0]?.prominence ?? 0) > 0.9 && images[0]?.name === 'A boat')
})

test('a srcset may hold commas in its addresses', () => {
  deepEqual(
    parseSrcset('/a,b/c.jpg 1x, https://e.org/w_300,h_200/x.jpg 300w').map(({ url }) => url),
    ['/a,b/c.jpg', 'https://e.org/w_300,h_200/x.jpg'],
  )
})

const video = {
  '@type': 'VideoObject',
  name: 'A boat sails',
  description: 'How a boat sails',
  thumbnailUrl: ['/still.jpg'],
  uploadDate: '2025-02-03',
  duration: 'PT1M30S',
  contentUrl: '/boat.mp4',
  width: 1280,
  height: '720',
  publisher: { '@type': 'Organization', name: 'The Example' },
  author: { name: 'Ann' },
  interactionStatistic: {
    '@type': 'InteractionCounter',
    interactionType: { '@type': 'WatchAction' },
    userInteractionCount: '1,234',
  },
}

describe('videos are found wherever a page tells of them', () => {
  const watch = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
  const cases: Record<string, [head: string, body: string, url: string]> = {
    'a VideoObject': [linkedData(video), '', `${base}/boat.mp4`],
    'a VideoObject in an article': [linkedData({ '@type': 'Article', video }), '', `${base}/boat.mp4`],
    microdata: [
      '',
      '<div itemscope itemtype="http://schema.org/VideoObject"><link itemprop="contentUrl" href="/boat.mp4"><meta itemprop="name" content="A boat sails"></div>',
      `${base}/boat.mp4`,
    ],
    'Open Graph': [
      '<meta property="og:video" content="/boat.mp4"><meta property="og:title" content="A boat sails">',
      '',
      `${base}/boat.mp4`,
    ],
    'a twitter player': [
      '<meta name="twitter:card" content="player"><meta name="twitter:player" content="/player/7">',
      '',
      `${base}/player/7`,
    ],
    'a video element': ['', '<video src="/boat.mp4" poster="/still.jpg"></video>', `${base}/boat.mp4`],
    'a video with sources': [
      '',
      '<video><source src="/boat.webm" type="video/webm"><source src="/boat.mp4"></video>',
      `${base}/boat.webm`,
    ],
    'a known player': ['', '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>', watch],
    'a lazy player': ['', '<iframe data-src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"></iframe>', watch],
  }
  for (const [name, [head, body, url]] of Object.entries(cases))
    test(name, () =>
      deepEqual(
        extracted(head, body).videos.map((found) => found.url),
        [url],
      ),
    )
})

test('a VideoObject fills every field it tells', () => {
  const [found] = extracted(linkedData(video), '').videos
  deepEqual(found, {
    url: `${base}/boat.mp4`,
    name: 'A boat sails',
    description: 'How a boat sails',
    thumbnailUrl: `${base}/still.jpg`,
    width: 1280,
    height: 720,
    durationS: 90,
    format: 'mp4',
    publisher: 'The Example',
    creator: 'Ann',
    viewCount: 1234,
    published: { at: Date.parse('2025-02-03T00:00:00+08:00'), dayOnly: true, confidence: 0.95 },
  })
})

test('a known player has its name, id and still, and is counted once', () => {
  const head = '<meta property="og:video:url" content="https://www.youtube.com/embed/dQw4w9WgXcQ">'
  const { videos } = extracted(
    head,
    '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="YouTube video player"></iframe>',
  )
  equal(videos.length, 1)
  deepEqual(videos[0]?.player, { name: 'youtube', id: 'dQw4w9WgXcQ' })
  ok(videos[0]?.thumbnailUrl?.includes('dQw4w9WgXcQ'))
})

test('frames of unknown sites are no videos', () => {
  deepEqual(extracted('', '<iframe src="https://ads.example/frame"></iframe>').videos, [])
})

describe('a duration is read as schema.org and people write it', () => {
  const cases: Record<string, number | undefined> = {
    PT1H2M3S: 3723,
    PT90S: 90,
    P0DT0H3M12S: 192,
    '3:12': 192,
    '1:02:03': 3723,
    '95': 95,
    soon: undefined,
    PT0S: undefined,
  }
  for (const [text, seconds] of Object.entries(cases)) test(text, () => equal(parseDuration(text), seconds))
})
