/** A site of several pages on loopback, with what real pages bring: dates, pictures, films, other languages. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'

export type LocalSite = { base: string; asked: string[]; close(): Promise<void> }

export async function startLocalSite(pages: number): Promise<LocalSite> {
  const asked: string[] = []
  const picture = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#225588' } })
    .jpeg()
    .toBuffer()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const html = path === '/' ? front(pages) : bodyOf(path, pages)
    if (path.endsWith('.jpg')) response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture)
    else if (html === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('none')
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const TOPICS = ['harbour', 'lighthouse', 'ferry', 'tide', 'pilot', 'anchor', 'beacon', 'compass']

function frame(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Harbour Almanac</title>
<meta property="og:site_name" content="Harbour Almanac"><link rel="icon" href="/icon.jpg">${head}</head>
<body><nav><a href="/">Almanac home</a> <a href="/film">Films of the almanac</a> <a href="/gallery">Gallery of ships</a></nav><main><article><h1>${title}</h1>${body}</article></main></body></html>`
}

function front(pages: number): string {
  const links = Array.from({ length: pages }, (_, i) => `<li><a href="/page/${i}">Chapter ${i} of the almanac</a></li>`)
  return frame(
    'Harbour Almanac',
    `<p>The Harbour Almanac gathers what pilots and keepers of lighthouses have written down about tides, ferries and beacons over many years.</p><ul>${links.join('')}</ul>`,
  )
}

function bodyOf(path: string, pages: number): string | undefined {
  const number = /^\/page\/(\d+)$/.exec(path)?.[1]
  if (number !== undefined) return Number(number) < pages ? chapter(Number(number)) : undefined
  if (path === '/film') return film()
  return path === '/gallery' ? gallery() : undefined
}

function chapter(number: number): string {
  const topic = TOPICS[number % TOPICS.length] ?? ''
  const lines = Array.from(
    { length: 6 },
    (_, i) =>
      `<p>Chapter ${number}, note ${i}: the ${topic} was looked at in the ${number + i}th week of the year, and the keeper wrote down wind, water and every ${topic} that passed, in a neat hand, for those who come after.</p>`,
  )
  return frame(
    `Chapter ${number}: the ${topic}`,
    lines.join(''),
    `<meta property="article:published_time" content="2026-0${1 + (number % 9)}-15T08:30:00Z">`,
  )
}

function film(): string {
  const facts = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: 'The ferry leaves the harbour',
    description: 'A film of six minutes: the old ferry leaves the harbour at high tide.',
    thumbnailUrl: '/still.jpg',
    uploadDate: '2026-03-01T10:00:00Z',
    duration: 'PT6M6S',
    embedUrl: 'https://www.youtube.com/embed/abcdefghijk',
    contentUrl: 'https://www.youtube.com/watch?v=abcdefghijk',
    encodingFormat: 'video/mp4',
    width: 1280,
    height: 720,
    author: { '@type': 'Person', name: 'A. Keeper' },
    publisher: { '@type': 'Organization', name: 'Harbour Almanac' },
    interactionStatistic: {
      '@type': 'InteractionCounter',
      interactionType: { '@type': 'WatchAction' },
      userInteractionCount: 1234,
    },
  }
  return frame(
    'The ferry leaves the harbour',
    `<p>A film of six minutes about the old ferry, the harbour at high tide and those who wave from the quay.</p><iframe src="https://www.youtube.com/embed/abcdefghijk" width="1280" height="720"></iframe>`,
    `<script type="application/ld+json">${JSON.stringify(facts)}</script>`,
  )
}

function gallery(): string {
  const facts = {
    '@context': 'https://schema.org',
    '@type': 'ImageObject',
    contentUrl: '/schooner.jpg',
    name: 'A schooner under full sail',
    contentSize: '360493 B',
    encodingFormat: 'image/jpeg',
    width: 800,
    height: 600,
    datePublished: '2026-02-03',
  }
  return frame(
    'Gallery of ships',
    `<p>Pictures of ships that have visited the harbour, taken by the keeper of the lighthouse on the western mole.</p><figure><img src="/schooner.jpg" alt="A schooner under full sail" width="800" height="600"><figcaption>A schooner under full sail off the western mole</figcaption></figure>`,
    `<meta property="article:published_time" content="2026-02-03"><script type="application/ld+json">${JSON.stringify(facts)}</script>`,
  )
}
