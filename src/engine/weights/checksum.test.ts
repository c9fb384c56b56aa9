import { equal } from 'node:assert/strict'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/tiny-models.ts'
import { fileSha256 } from './checksum.ts'

const folder = temporaryFolder()
const path = join(folder, 'file')
const cache = join(folder, 'checksums.json')
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

// FIPS 180-2, appendix B.1
test('the SHA-256 of "abc", with a cache and without', async () => {
  writeFileSync(path, 'abc')
  equal(await fileSha256(path), ABC)
  equal(await fileSha256(path, folder), ABC)
})

test('a file that looks unchanged is not read again', async () => {
  writeFileSync(cache, readFileSync(cache, 'utf8').replace(ABC, 'remembered'))
  equal(await fileSha256(path, folder), 'remembered')
})

test('another size or time and it is read again', async () => {
  const { atime } = statSync(path)
  utimesSync(path, atime, new Date(0))
  equal(await fileSha256(path, folder), ABC)
})

test('a damaged cache does no harm', async () => {
  for (const text of ['', '{', 'null', '[1]', '{"x": 5}']) {
    writeFileSync(cache, text)
    equal(await fileSha256(path, folder), ABC)
  }
  equal(await fileSha256(path, join(folder, 'no-such-folder')), ABC)
})
