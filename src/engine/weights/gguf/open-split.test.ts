import { deepEqual, rejects } from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/tiny-models.ts'
import type { GgufValue } from './format.ts'
import { openParts } from './open-split.ts'
import { GgufWriter } from './writer.ts'

const folder = temporaryFolder()
const part = (number: number, count = 3) =>
  join(folder, `m-${String(number).padStart(5, '0')}-of-${String(count).padStart(5, '0')}.gguf`)

async function write(path: string, number: number, tensors: number): Promise<void> {
  const keys: [string, GgufValue][] = [
    ['split.no', { type: 'u16', value: number }],
    ['split.count', { type: 'u16', value: 3 }],
    ['split.tensors.count', { type: 'i32', value: tensors }],
  ]
  const name = `t${number}`
  const writer = await GgufWriter.create(path, keys, [{ name, type: 'F32', shape: [1] }])
  await writer.write(name, new Uint8Array(4))
  await writer.finish()
}

before(async () => {
  for (let number = 0; number < 3; number++) await write(part(number + 1), number, 3)
})

test('all parts of a split file are opened by naming the first', async () => {
  const readers = await openParts(part(1))
  deepEqual(
    readers.flatMap((reader) => [...reader.header.tensors.keys()]),
    ['t0', 't1', 't2'],
  )
  await Promise.all(readers.map((reader) => reader.close()))
})

test('a later part is refused with the name to use instead', async () => {
  await rejects(openParts(part(2)), /name the part that ends in -00001-of-/)
})

test('a part that is missing, or is another, is named', async () => {
  const other = join(folder, 'x-00001-of-00003.gguf')
  copyFileSync(part(1), other)
  await rejects(openParts(other), /x-00002-of-00003\.gguf: cannot be opened/)
  copyFileSync(part(3), join(folder, 'x-00002-of-00003.gguf'))
  await rejects(openParts(other), /does not say that it is part 2 of 3/)
})

test('a first part under another name is refused', async () => {
  const renamed = join(folder, 'model.gguf')
  copyFileSync(part(1), renamed)
  await rejects(openParts(renamed), /its name must end in -00001-of-00003\.gguf/)
})

test('tensors that are missing in all parts are counted', async () => {
  await write(part(1), 0, 4)
  await rejects(openParts(part(1)), /4 tensors are announced, its 3 parts hold 3/)
})
