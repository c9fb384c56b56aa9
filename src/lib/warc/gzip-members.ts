import { constants, crc32, createInflateRaw, type InflateRaw } from 'node:zlib'

/** One gzip member: `chunks` must be read to the end before the next member is asked for. */
export type Member = {
  offset: number
  chunks: AsyncGenerator<Uint8Array>
  /** After `chunks` has ended: the offset behind the member if it is whole, undefined if it is cut or broken. */
  end(): number | undefined
}

const ID1 = 0x1f
const ID2 = 0x8b
const EXTRA = 4
const NAME = 8
const COMMENT = 16
const HEADER_CHECK = 2
const HEADER_BYTES_MAX = 65_536

/**
 * The members of a gzip file (RFC 1952), each with its offset, which Node's own gunzip does not tell. What is no member
 * is skipped up to the next one that begins like one.
 */
export async function* readMembers(source: AsyncIterable<Uint8Array>, startOffset = 0): AsyncGenerator<Member> {
  const bytes = new ByteQueue(source[Symbol.asyncIterator](), startOffset)
  while (await bytes.need(1)) {
    if (!(await skipToMember(bytes))) return
    const offset = bytes.offset
    if (!(await skipHeader(bytes))) continue
    const state: { end?: number } = {}
    yield { offset, chunks: inflateMember(bytes, state), end: () => state.end }
  }
}

/** Chunks of a source with a place in it, taken from the front as needed. */
class ByteQueue {
  offset: number
  #rest: Uint8Array = new Uint8Array()
  readonly #source: AsyncIterator<Uint8Array>
  constructor(source: AsyncIterator<Uint8Array>, offset: number) {
    this.#source = source
    this.offset = offset
  }

  /** Whether `count` bytes stand at the front (reads on until they do). */
  async need(count: number): Promise<boolean> {
    while (this.#rest.length < count) {
      const next = await this.#source.next()
      if (next.done === true) return false
      this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value])
    }
    return true
  }

  front(): Uint8Array {
    return this.#rest
  }

  drop(count: number): void {
    const dropped = Math.min(count, this.#rest.length)
    this.#rest = this.#rest.subarray(dropped)
    this.offset += dropped
  }
}

async function skipToMember(bytes: ByteQueue): Promise<boolean> {
  while (await bytes.need(3)) {
    const front = bytes.front()
    if (front[0] === ID1 && front[1] === ID2 && front[2] === 8) return true
    const next = front.indexOf(ID1, 1)
    bytes.drop(next < 0 ? front.length : next)
  }
  return false
}

/** Leaves the queue before the deflate data. False, with the first byte dropped, where the header makes no sense. */
async function skipHeader(bytes: ByteQueue): Promise<boolean> {
  const length = await headerLength(bytes)
  bytes.drop(length ?? 1)
  return length !== undefined
}

async function headerLength(bytes: ByteQueue): Promise<number | undefined> {
  if (!(await bytes.need(10))) return undefined
  const flags = bytes.front()[3] ?? 0
  if (flags > 31) return undefined
  let length = 10
  if ((flags & EXTRA) !== 0) {
    if (!(await bytes.need(length + 2))) return undefined
    length += 2 + (bytes.front()[length] ?? 0) + 256 * (bytes.front()[length + 1] ?? 0)
  }
  for (const flag of [NAME, COMMENT]) {
    if ((flags & flag) === 0) continue
    while (bytes.front().indexOf(0, length) < 0) {
      const have = bytes.front().length
      if (have > HEADER_BYTES_MAX || !(await bytes.need(have + 1))) return undefined
    }
    length = bytes.front().indexOf(0, length) + 1
  }
  if ((flags & HEADER_CHECK) !== 0) length += 2
  return (await bytes.need(length)) ? length : undefined
}

async function* inflateMember(bytes: ByteQueue, state: { end?: number }): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 65_536 })
  let output: Uint8Array[] = []
  inflate.on('data', (chunk: Uint8Array) => output.push(chunk))
  let check = 0
  let length = 0
  let consumed = 0
  let step: Step = 'more'
  try {
    while (step === 'more' && (await bytes.need(1))) {
      step = await feed(inflate, bytes.front())
      bytes.drop(inflate.bytesWritten - consumed)
      consumed = inflate.bytesWritten
      const ready = output
      output = []
      for (const chunk of ready) {
        check = crc32(chunk, check)
        length += chunk.length
        yield chunk
      }
    }
    if (step !== 'end' || !(await bytes.need(8))) return
    const trailer = Buffer.from(bytes.front().subarray(0, 8))
    if (trailer.readUInt32LE(0) !== check || trailer.readUInt32LE(4) !== length % 2 ** 32) return
    bytes.drop(8)
    state.end = bytes.offset
  } finally {
    inflate.destroy()
  }
}

type Step = 'more' | 'end' | 'broken'

/** Node ends the stream, without calling back, as soon as bytes follow the deflate data; a gzip trailer always does. */
function feed(inflate: InflateRaw, chunk: Uint8Array): Promise<Step> {
  return new Promise((resolve) => {
    const settle = (step: Step): void => {
      inflate.off('end', onEnd)
      inflate.off('error', onError)
      resolve(step)
    }
    const onEnd = (): void => settle('end')
    const onError = (): void => settle('broken')
    inflate.once('end', onEnd)
    inflate.once('error', onError)
    // 'data' may come one turn after the callback.
    inflate.write(chunk, (error) => (error ? onError() : setImmediate(settle, 'more')))
  })
}
