/**
 * WARC 1.1 (ISO 28500:2017, https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/) as far as
 * we write and read it: records of `WARC/1.1`, named fields, an empty line, the block, two empty lines. Files end in
 * `.warc.gz` and every record is a gzip member of its own, so that one can be read by its offset (annex D).
 */
export const WARC_VERSION = 'WARC/1.1'
/** Any version that begins so is read. */
export const WARC_MAGIC = 'WARC/'
export const RECORD_END = '\r\n\r\n'

/** §6.7.2 and §6.7.3. */
export const REVISIT_IDENTICAL = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'
export const REVISIT_NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified'

export type WarcType =
  | 'warcinfo'
  | 'response'
  | 'request'
  | 'metadata'
  | 'revisit'
  | 'resource'
  | 'conversion'
  | 'continuation'

/** One record as read. Field names are in lower case. */
export type WarcRecord = {
  /** Where it begins in the file, in bytes (compressed ones where the file is). */
  offset: number
  /** Bytes it takes in the file; absent where several records share one gzip member. */
  length?: number
  /** `response` and so on; any text in other programs' files. */
  type: string
  fields: ReadonlyMap<string, string>
  targetUri?: string
  /** Epoch ms of `WARC-Date`. */
  at?: number
  content: Uint8Array
  /** The block is shorter than the record says: the file ended, or the reader's limit was reached. */
  cut: boolean
}
