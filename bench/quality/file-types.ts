/**
 * Copies of a file of additions and its base, stored anew in other types of block. The pair is tuned in the numbers of its
 * types: Q8_0 holds the same ones in more bytes, Q4_0 rounds them once more. So these tell what the bytes cost, and
 * what the additional rounding does; not how the pair would be if it were trained in another type.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileSha256 } from '../../src/engine/weights/checksum.ts'
import { decodeTensor } from '../../src/engine/weights/decode.ts'
import { encodeTensor, type WritableType } from '../../src/engine/weights/encode.ts'
import type { GgufValue } from '../../src/engine/weights/gguf/format.ts'
import { GgufReader } from '../../src/engine/weights/gguf/reader.ts'
import { GgufWriter } from '../../src/engine/weights/gguf/writer.ts'

export type FileTypes = { id: string; base: WritableType; adapters: WritableType }

/** What ships: the products of the base, the adapters' products. */
const [BASE_TYPE, ADAPTER_TYPE] = ['Q4_1', 'Q8_0'] as const

/** From least to most bytes. */
export const FILE_TYPES: readonly FileTypes[] = [
  { id: 'Q4_0', base: 'Q4_0', adapters: ADAPTER_TYPE },
  { id: 'adapters-Q4_0', base: BASE_TYPE, adapters: 'Q4_0' },
  { id: 'Q8_0', base: 'Q8_0', adapters: ADAPTER_TYPE },
]

/** Writes base.gguf and model.gguf below `folder` and gives the path of the second. */
export async function writeInTypes(additions: string, types: FileTypes, folder: string): Promise<string> {
  const own = join(folder, types.id)
  mkdirSync(own, { recursive: true })
  const [base, model] = [join(own, 'base.gguf'), join(own, 'model.gguf')]
  await recode(join(dirname(additions), 'base.gguf'), base, [BASE_TYPE, types.base], {})
  const sha256: GgufValue = { type: 'string', value: await fileSha256(base) }
  await recode(additions, model, [ADAPTER_TYPE, types.adapters], { 'unmask.base.sha256': sha256 })
  return model
}

/** Every tensor of type `was` in type `becomes`, and some keys anew; all else as it is. */
async function recode(
  from: string,
  to: string,
  [was, becomes]: readonly [WritableType, WritableType],
  keys: Record<string, GgufValue>,
): Promise<void> {
  const reader = await GgufReader.open(from)
  try {
    const tensors = [...reader.header.tensors.values()]
    const typed = tensors.map(({ name, type, shape }) => ({ name, type: type === was ? becomes : type, shape }))
    const writer = await GgufWriter.create(to, new Map([...reader.header.keys, ...Object.entries(keys)]), typed)
    for (const tensor of tensors) {
      const bytes = await reader.read(tensor)
      const changes = tensor.type === was && was !== becomes
      await writer.write(tensor.name, changes ? encodeTensor(becomes, decodeTensor(was, bytes)) : bytes)
    }
    await writer.finish()
  } finally {
    await reader.close()
  }
}
