import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { systemClock } from '../lib/clock.ts'
import { openPictures } from './open-pictures.ts'
import { PictureCache } from './picture-cache.ts'

const folder = mkdtempSync(join(tmpdir(), 'unmask-pictures-'))
const large = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#336699' } })
  .jpeg()
  .toBuffer()
const FILES: Record<string, Buffer> = {
  '/large.jpg': large,
  '/icon.svg': Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="9" height="9"/></svg>',
  ),
  '/huge.svg': Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="90000" height="90000"><rect width="9" height="9"/></svg>',
  ),
  '/page.html': Buffer.from('<html>'),
  '/cut.jpg': large.subarray(0, 40),
}
let asked: string[] = []
const site = createServer((request, response) => {
  asked.push(request.url ?? '')
  const file = FILES[request.url ?? '']
  response.writeHead(file === undefined ? 404 : 200).end(file)
}).listen(0, '127.0.0.1')
await new Promise((resolve) => site.once('listening', resolve))
const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
const open = (allowPrivate: boolean) =>
  openPictures({
    folder,
    bytesMax: 1_000_000,
    userAgent: 'Unmask/test',
    allowPrivate,
    exempt: () => [],
    clock: systemClock,
  })
const pictures = open(true)
const { signal } = new AbortController()
after(async () => {
  await pictures.close()
  site.closeAllConnections()
  site.close()
  rmSync(folder, { recursive: true })
})

test('a picture becomes a small one, is asked for once and kept', async () => {
  asked = []
  const [first, second] = await Promise.all([1, 2].map(() => pictures.thumbnail(`${base}/large.jpg`, signal)))
  const third = await pictures.thumbnail(`${base}/large.jpg`, signal)
  equal(first?.type, 'image/webp')
  const { width, height } = await sharp(first?.bytes).metadata()
  deepEqual([width, height], [480, 270])
  deepEqual([second?.bytes.length, third?.bytes.length], [first?.bytes.length, first?.bytes.length])
  deepEqual(asked, ['/large.jpg'])
})

test('an icon of any form becomes a PNG of at most 64 pixels', async () => {
  const icon = await pictures.icon(`${base}/icon.svg`, signal)
  const { format, width } = await sharp(icon?.bytes).metadata()
  deepEqual([icon?.type, format, width], ['image/png', 'png', 64])
})

test('what is no picture, too large, cut or not there is undefined, and not asked for again', async () => {
  for (const path of ['/huge.svg', '/page.html', '/cut.jpg', '/none.png']) {
    asked = []
    equal(await pictures.thumbnail(base + path, signal), undefined, path)
    equal(await pictures.thumbnail(base + path, signal), undefined, path)
    equal(asked.length, 1)
  }
})

test('private addresses are not asked unless the operator allows it', async () => {
  const guarded = open(false)
  asked = []
  equal(await guarded.thumbnail(`${base}/icon.svg`, signal), undefined)
  deepEqual(asked, [])
  await guarded.close()
})

test('the folder stays under its size; what was used longest ago goes first', () => {
  const room = mkdtempSync(join(folder, 'cache-'))
  const cache = new PictureCache(room, 10_000)
  for (let i = 0; i < 30; i++) cache.put(`picture ${i}`, Buffer.alloc(1000, i))
  ok(readdirSync(room).length <= 10)
  equal(cache.get('picture 29', Date.now())?.[0], 29)
  equal(new PictureCache(room, 10_000).get('picture 29', Date.now())?.length, 1000)
  equal(cache.get('none', Date.now()), undefined)
})
