import { createReadStream } from 'node:fs'
import { type Member, readMembers } from './gzip-members.ts'
import { WARC_MAGIC, type WarcRecord } from './format.ts'

export type ReadLimits = {
  /** Content kept of one record; the rest is passed over and the record is `cut`. */
  contentBytesMax: number
}
const CONTENT_BYTES_MAX = 67_108_864
const LINE_BYTES_MAX = 65_536
const FIELDS_MAX = 500

/**
 * Every record of a WARC, in order, whoever wrote it: 0.17 to 1.1, gzip (a member a record, or all in one) or plain. No
 * length is believed: a record that claims more than there is comes `cut`, and after one that claims too little, or is
 * no record, reading goes on at the next beginning. `startOffset` must be a record's.
 */
export async function* readWarcFile(
  path: string,
  startOffset = 0,
  limits: Partial<ReadLimits> = {},
): AsyncGenerator<WarcRecord> {
  yield* readWarc(createReadStream(path, { start: startOffset, highWaterMark: 262_144 }), startOffset, limits)
}

/** As `readWarcFile`, from any stream of bytes. */
export async function* readWarc(
  source: AsyncIterable<Uint8Array>,
  startOffset = 0,
  limits: Partial<ReadLimits> = {},
): AsyncGenerator<WarcRecord> {
  const bytesMax = limits.contentBytesMax ?? CONTENT_BYTES_MAX
  const { first, whole } = await peek(source)
  if (first === undefined) return
  if (first[0] === 0x1f && (first[1] ?? 0x8b) === 0x8b) {
    for await (const member of readMembers(whole, startOffset)) yield* recordsOfMember(member, bytesMax)
    return
  }
  for await (const found of parseRecords(new LineReader(whole[Symbol.asyncIterator]()), bytesMax)) {
    const { start, end, ...record } = found
    yield { ...record, offset: startOffset + start, length: end - start }
  }
}

async function peek(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      if (first.done !== true) yield first.value
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { first: first.done === true ? undefined : first.value, whole: whole() }
}

async function* recordsOfMember(member: Member, bytesMax: number): AsyncGenerator<WarcRecord> {
  let held: WarcRecord | undefined
  let count = 0
  for await (const { start: _start, end: _end, ...record } of parseRecords(new LineReader(member.chunks), bytesMax)) {
    if (held !== undefined) yield held
    held = { ...record, offset: member.offset }
    count++
  }
  if (held === undefined) return
  const end = member.end()
  if (end === undefined) yield { ...held, cut: true }
  else yield count === 1 ? { ...held, length: end - member.offset } : held
}

type Parsed = Omit<WarcRecord, 'offset' | 'length'> & { start: number; end: number }

async function* parseRecords(lines: LineReader, bytesMax: number): AsyncGenerator<Parsed> {
  while (true) {
    const start = lines.offset
    const line = await lines.readLine()
    if (line === undefined) return
    if (!line.startsWith(WARC_MAGIC)) continue
    const fields = await readFields(lines)
    const declared = Number(/^\s*(\d{1,15})\s*$/.exec(fields.get('content-length') ?? '')?.[1] ?? Number.NaN)
    if (Number.isNaN(declared)) continue
    const content = await lines.readBytes(declared, bytesMax)
    const at = Date.parse(fields.get('warc-date') ?? '')
    const targetUri = fields.get('warc-target-uri')?.replace(/^<(.*)>$/, '$1')
    await lines.skipRecordEnd()
    yield {
      start,
      end: lines.offset,
      type: fields.get('warc-type') ?? '',
      fields,
      ...(targetUri === undefined ? {} : { targetUri }),
      ...(Number.isNaN(at) ? {} : { at }),
      content,
      cut: content.length < declared,
    }
  }
}

async function readFields(lines: LineReader): Promise<Map<string, string>> {
  const fields = new Map<string, string>()
  let last = ''
  for (let count = 0; count < FIELDS_MAX; count++) {
    const line = await lines.readLine()
    if (line === undefined || line === '') break
    const colon = line.indexOf(':')
    if (/^[ \t]/.test(line) && last !== '') fields.set(last, `${fields.get(last) ?? ''} ${line.trim()}`)
    else if (colon > 0) {
      last = line.slice(0, colon).trim().toLowerCase()
      if (!fields.has(last)) fields.set(last, line.slice(colon + 1).trim())
    }
  }
  return fields
}

/** Lines and counted bytes out of chunks. */
class LineReader {
  offset = 0
  #rest: Uint8Array = new Uint8Array()
  readonly #source: AsyncIterator<Uint8Array>
  constructor(source: AsyncIterator<Uint8Array>) {
    this.#source = source
  }

  /** The next line without its end, as UTF-8; a longer one than the limit is cut there. undefined at the end. */
  async readLine(): Promise<string | undefined> {
    let end = this.#rest.indexOf(10)
    while (end < 0 && this.#rest.length < LINE_BYTES_MAX) {
      const searched = this.#rest.length
      if (!(await this.#more())) break
      end = this.#rest.indexOf(10, searched)
    }
    if (this.#rest.length === 0) return undefined
    const taken = this.#take(end < 0 ? Math.min(this.#rest.length, LINE_BYTES_MAX) : end + 1)
    return Buffer.from(taken)
      .toString('utf8')
      .replace(/\r?\n$/, '')
  }

  /** `count` bytes, or fewer at the end; only the first `keptMax` of them are given. */
  async readBytes(count: number, keptMax: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let left = count
    let room = Math.min(count, keptMax)
    while (left > 0 && (this.#rest.length > 0 || (await this.#more()))) {
      const taken = this.#take(Math.min(left, this.#rest.length))
      left -= taken.length
      if (room > 0) chunks.push(taken.subarray(0, room))
      room -= Math.min(room, taken.length)
    }
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  }

  /** Passes over the two empty lines behind a block, as far as they are there. */
  async skipRecordEnd(): Promise<void> {
    for (let count = 0; count < 4; count++) {
      if (this.#rest.length === 0 && !(await this.#more())) return
      const byte = this.#rest[0]
      if (byte !== 13 && byte !== 10) return
      this.#take(1)
    }
  }

  async #more(): Promise<boolean> {
    const next = await this.#source.next()
    if (next.done === true) return false
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value])
    return true
  }

  #take(count: number): Uint8Array {
    const taken = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    this.offset += count
    return taken
  }
}
