import { crc32 } from 'node:zlib'

const PREFIX = 'um_live_'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^um_live_[0-9A-Za-z]{36}$/
const CHECKSUM_CHARACTERS = 6

/** Base62 characters of a token that are random: 178 bits. */
export const RANDOM_CHARACTERS = 30

/** `um_live_`, 30 random characters, 6 of checksum: scanners for leaked keys can tell a key from a look-alike. */
export function makeToken(random: string): string {
  return `${PREFIX}${random}${checksum(PREFIX + random)}`
}

export function isToken(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS)
}

/** Enough to recognise a key by and, with 26 random characters left out, nothing to guess it from. */
export function hintOf(token: string): string {
  return `${token.slice(0, PREFIX.length + 4)}…${token.slice(-4)}`
}

/** CRC-32 (that of zlib) of everything before it, in base62, most significant first. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    digits = `${BASE62[rest % 62]}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}
