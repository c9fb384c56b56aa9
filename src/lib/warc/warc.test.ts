import { deepEqual, equal, ok } from 'node:assert/strict'
import {
  copyFileSync,
  createReadStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { WARCParser, WARCRecord, WARCSerializer } from 'warcio'
import { findCaptures } from './cdxj.ts'
import { REVISIT_IDENTICAL, type WarcRecord } from './format.ts'
import { parseHttpResponse } from './http-message.ts'
import { readCapture } from './read-capture.ts'
import { readWarc, readWarcFile } from './reader.ts'
import { digest, type NewRecord, renderHttp } from './render.ts'
import { type NewCapture, WarcWriter } from './writer.ts'

const root = mkdtempSync(join(tmpdir(), 'unmask-warc-'))
after(() => rmSync(root, { recursive: true }))

const AT = Date.parse('2026-11-21T12:00:00Z')
const clock = { now: () => AT, monotonicMs: () => 0 }
let folders = 0

function newFolder(): string {
  return join(root, `warc-${folders++}`)
}

function openWriter(folder: string, fileBytesMax?: number): Promise<WarcWriter> {
  return WarcWriter.open({
    folder,
    clock,
    about: { software: 'test' },
    ...(fileBytesMax === undefined ? {} : { fileBytesMax }),
  })
}

function page(url: string, body: string): { records: NewRecord[]; capture: NewCapture } {
  const bytes = Buffer.from(body)
  const response = renderHttp('HTTP/1.1 200 OK', [['Content-Type', 'text/html; charset=utf-8']], bytes)
  const request = renderHttp('GET / HTTP/1.1', [['Host', new URL(url).host]], Buffer.alloc(0))
  const fields = { 'WARC-Payload-Digest': digest(bytes) }
  return {
    records: [
      {
        type: 'response',
        at: AT,
        targetUri: url,
        contentType: 'application/http;msgtype=response',
        content: response,
        fields,
      },
      { type: 'request', at: AT, targetUri: url, contentType: 'application/http;msgtype=request', content: request },
    ],
    capture: { url, at: AT, mime: 'text/html', status: 200, digest: digest(bytes) },
  }
}

async function append(writer: WarcWriter, url: string, body: string): Promise<{ file: string; offset: number }> {
  const { records, capture } = page(url, body)
  return writer.append(records, capture)
}

async function all(records: AsyncIterable<WarcRecord>): Promise<WarcRecord[]> {
  return Array.fromAsync(records)
}

function warcIn(folder: string): string {
  return join(folder, readdirSync(folder).findLast((name) => name.endsWith('.warc.gz')) ?? '')
}

describe('what is written can be read', () => {
  test('by its place, by its URL, and by warcio', async () => {
    const folder = newFolder()
    const writer = await openWriter(folder)
    const places = []
    for (let i = 0; i < 20; i++)
      places.push(await append(writer, `http://www.example.org/p${i}?x=${i}`, `page ${i} `.repeat(i * 50)))
    await writer.close()
    const stored = await readCapture(folder, places[7] ?? { file: '', offset: 0 })
    equal(stored?.url, 'http://www.example.org/p7?x=7')
    equal(stored?.contentType, 'text/html; charset=utf-8')
    equal(Buffer.from(stored?.body ?? []).toString(), 'page 7 '.repeat(350))
    deepEqual(
      findCaptures(folder, 'http://www.example.org/p7?x=7').map(({ file, offset }) => ({ file, offset })),
      [places[7]],
    )
    deepEqual(findCaptures(folder, 'http://www.example.org/P7?x=7'), [])

    const seen: string[] = []
    for await (const record of new WARCParser(createReadStream(warcIn(folder)))) {
      seen.push(`${record.warcType} ${record.warcTargetURI ?? ''}`)
      if (record.warcTargetURI?.includes('/p3') && record.warcType === 'response') {
        equal(await record.contentText(), 'page 3 '.repeat(150))
        equal(record.httpHeaders?.statusCode, 200)
      }
    }
    equal(seen.length, 41)
    equal(seen[0], 'warcinfo ')
  })

  test('a revisit is followed to the page it names', async () => {
    const folder = newFolder()
    const writer = await openWriter(folder)
    const { capture } = page('http://a.example/', 'same')
    await append(writer, 'http://a.example/', 'same')
    const content = renderHttp('HTTP/1.1 200 OK', [['Content-Type', 'text/html']], Buffer.alloc(0))
    const fields = {
      'WARC-Profile': REVISIT_IDENTICAL,
      'WARC-Refers-To-Target-URI': 'http://a.example/',
      'WARC-Refers-To-Date': new Date(AT).toISOString(),
      'WARC-Payload-Digest': capture.digest,
    }
    const revisit: NewRecord = {
      type: 'revisit',
      at: AT + 5000,
      targetUri: 'http://a.example/',
      contentType: 'application/http;msgtype=response',
      content,
      fields,
    }
    const place = await writer.append([revisit], { ...capture, at: AT + 5000, mime: 'warc/revisit' })
    await writer.close()
    const stored = await readCapture(folder, place)
    equal(Buffer.from(stored?.body ?? []).toString(), 'same')
    equal(stored?.fetchedAt, AT + 5000)
  })

  test('a full file is finished, its index sorted, and every capture of both is found', async () => {
    const folder = newFolder()
    const writer = await openWriter(folder, 4000)
    const urls = Array.from({ length: 60 }, (_, i) => `http://h${i % 7}.example/${'long/'.repeat(i % 5)}${i}`)
    for (const url of urls) await append(writer, url, `${url} ${Math.sin(url.length)}`)
    await writer.close()
    const names = readdirSync(folder)
    ok(names.filter((name) => name.endsWith('.warc.gz')).length > 3)
    const finished = readFileSync(join(folder, names.find((name) => name.endsWith('.cdxj')) ?? ''), 'utf8')
      .trim()
      .split('\n')
    deepEqual(finished.slice(1), finished.slice(1).toSorted())
    for (const url of urls) {
      const [capture] = findCaptures(folder, url)
      ok(capture !== undefined, url)
      equal((await readCapture(folder, capture))?.url, url)
    }
  })

  test('a large sorted index is searched by halves', async () => {
    const folder = newFolder()
    const writer = await openWriter(folder, 100)
    await append(writer, 'http://a.example/', 'x')
    await writer.close()
    const lines = Array.from(
      { length: 5000 },
      (_, i) =>
        `org,site${String(i).padStart(5, '0')})/ 20261121120000 ${JSON.stringify({ url: `http://site${String(i).padStart(5, '0')}.org/`, mime: 'text/html', status: '200', digest: '-', length: '1', offset: String(i), filename: 'f' })}`,
    )
    writeFileSync(join(folder, 'other.cdxj'), `!meta {"sorted":true}\n${lines.join('\n')}\n`)
    for (const i of [0, 1, 777, 2500, 4998, 4999]) {
      deepEqual(
        findCaptures(folder, `http://site${String(i).padStart(5, '0')}.org/`).map((found) => found.offset),
        [i],
      )
    }
    deepEqual(findCaptures(folder, 'http://site99999.org/'), [])
  })
})

test('cut at any byte, the next start keeps every whole record and goes on behind it', async () => {
  const folder = newFolder()
  const writer = await openWriter(folder)
  for (let i = 0; i < 3; i++) await append(writer, `http://a.example/${i}`, `page ${i}`)
  await writer.close()
  const path = warcIn(folder)
  const size = readFileSync(path).length
  const records = await all(readWarcFile(path))
  const index = readFileSync(path.replace('.warc.gz', '.cdxj'), 'utf8')
  for (let cut = 1; cut < size; cut += 37) {
    const hurt = newFolder()
    await (await openWriter(hurt)).close()
    copyFileSync(path, warcIn(hurt))
    truncateSync(warcIn(hurt), cut)
    // The index may be ahead of nothing, torn, or behind: here it is torn at about the same share.
    writeFileSync(
      warcIn(hurt).replace('.warc.gz', '.cdxj'),
      index.slice(0, Math.floor((index.length * cut * cut) / (size * size))),
    )
    const next = await openWriter(hurt)
    await append(next, 'http://a.example/after', 'after')
    await next.close()
    const whole = records.filter((record) => record.offset + (record.length ?? 0) <= cut)
    const kept = await all(readWarcFile(warcIn(hurt)))
    const targets = whole.length === 0 ? [undefined] : whole.map((record) => record.targetUri)
    deepEqual(
      kept.slice(0, -2).map((record) => record.targetUri),
      targets,
      `cut at ${cut}`,
    )
    ok(kept.every((record) => !record.cut))
    for (const record of whole.filter((one) => one.type === 'response')) {
      equal(findCaptures(hurt, record.targetUri ?? '').length, 1, `${record.targetUri} cut at ${cut}`)
    }
  }
})

describe('files of other programs', () => {
  const block =
    'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n'
  const plain = (length: number, version = '1.0'): string =>
    `WARC/${version}\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.example/>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nContent-Type: application/http\r\nContent-Length: ${length}\r\n\r\n${block}\r\n\r\n`
  const read = (bytes: Uint8Array | string, size = 7): Promise<WarcRecord[]> =>
    all(readWarc(pieces(Buffer.from(bytes), size)))

  async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }

  test('plain, two records, in pieces of any size', async () => {
    for (const size of [1, 3, 64, 10_000]) {
      const records = await read(plain(block.length) + plain(block.length, '0.18'), size)
      deepEqual(
        records.map((record) => [record.offset, record.targetUri, record.at, record.cut]),
        [
          [0, 'http://a.example/', Date.parse('2020-01-02T03:04:05Z'), false],
          [plain(block.length).length, 'http://a.example/', Date.parse('2020-01-02T03:04:05Z'), false],
        ],
      )
      equal(Buffer.from(parseHttpResponse(records[0]?.content ?? Buffer.alloc(0))?.body ?? []).toString(), 'Wikipedia')
    }
  })

  test('gzip: a member a record, with header extras; all in one member; rubbish between', async () => {
    const one = gzipSync(plain(block.length))
    const named = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
      Buffer.from('name.warc\0'),
      one.subarray(10),
    ])
    const members = await read(Buffer.concat([one, named, Buffer.from('rubbish'), one]), 11)
    deepEqual(
      members.map((record) => [record.offset, record.length]),
      [
        [0, one.length],
        [one.length, named.length],
        [one.length + named.length + 7, one.length],
      ],
    )
    const together = await read(gzipSync(plain(block.length).repeat(3)))
    deepEqual(
      together.map((record) => [record.offset, record.length, record.cut]),
      [
        [0, undefined, false],
        [0, undefined, false],
        [0, undefined, false],
      ],
    )
  })

  test('a length that lies is not believed', async () => {
    const good = plain(block.length)
    equal((await read(plain(10) + good)).length, 2)
    equal((await read(plain(block.length) + 'WARC/1.0\r\nContent-Length: -5\r\n\r\nxx\r\n\r\n' + good)).length, 2)
    const [long, ...others] = await read(gzipSync(plain(99_999_999_999)))
    equal(long?.cut, true)
    equal(others.length, 0)
    const afterwards = await read(Buffer.concat([gzipSync(plain(999_999)), gzipSync(good)]))
    deepEqual(
      afterwards.map((record) => record.cut),
      [true, false],
    )
  })

  test('a member cut short, or with a wrong check sum, is told', async () => {
    const one = gzipSync(plain(block.length))
    const wrong = Buffer.from(one)
    wrong.writeUInt32LE(1, one.length - 8)
    deepEqual(
      (await read(Buffer.concat([one, wrong, one]))).map((record) => record.cut),
      [false, true, false],
    )
    equal((await read(one.subarray(0, -3)))[0]?.cut, true)
  })

  test('what warcio writes', async () => {
    const record = await WARCRecord.create(
      {
        url: 'http://peer.example/',
        date: '2021-01-01T00:00:00Z',
        type: 'response',
        warcVersion: 'WARC/1.1',
        httpHeaders: { 'Content-Type': 'text/plain' },
      },
      pieces(Buffer.from('from a peer'), 4),
    )
    const bytes = await WARCSerializer.serialize(record, { gzip: true })
    const [found] = await read(bytes, 50)
    equal(found?.targetUri, 'http://peer.example/')
    equal(Buffer.from(parseHttpResponse(found?.content ?? Buffer.alloc(0))?.body ?? []).toString(), 'from a peer')
  })

  test('no bytes at all make it throw or hang', async () => {
    const seed = fc.oneof(
      fc.constant(plain(block.length)),
      fc.string(),
      fc.constant('WARC/1.0\r\nContent-Length: 5\r\n\r\n'),
    )
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(seed).map((parts) => Buffer.from(parts.join(''))),
      fc.array(seed).map((parts) => gzipSync(parts.join(''))),
    )
    const hurt = fc.tuple(bytes, fc.nat(), fc.nat(255)).map(([whole, at, value]) => {
      const copy = Buffer.from(whole)
      if (copy.length > 0) copy[at % copy.length] = value
      return copy
    })
    await fc.assert(
      fc.asyncProperty(hurt, async (input) => {
        for (const record of await read(input, 64)) parseHttpResponse(record.content)
      }),
      { numRuns: 150 },
    )
  })
})

test('a place that names nothing gives nothing', async () => {
  const folder = newFolder()
  const writer = await openWriter(folder)
  const place = await append(writer, 'http://a.example/', 'x')
  await writer.close()
  equal(await readCapture(folder, { ...place, offset: place.offset + 1 }), undefined)
  equal(await readCapture(folder, { ...place, offset: 1e9 }), undefined)
  equal(await readCapture(folder, { file: '../etc/passwd', offset: 0 }), undefined)
  equal(await readCapture(folder, { file: 'none.warc.gz', offset: 0 }), undefined)
})
