import { dirname, join, basename } from 'node:path'
import { WeightsError } from '../errors.ts'
import { GgufReader } from './reader.ts'

const PART_NAME = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/
/** llama.cpp writes five digits; no model has come near this many parts. */
const PARTS_MAX = 1000

/** All parts of a model's file, the named one first: most have one. Parts come as `…-00001-of-0000N.gguf`. */
export async function openParts(path: string): Promise<GgufReader[]> {
  const first = await GgufReader.open(path)
  const readers = [first]
  try {
    const parts = first.keys.findCount('split.count') ?? 1
    if (parts <= 1) return readers
    for (const other of otherParts(path, first, parts)) readers.push(await openPart(other, parts, readers.length))
    const claimed = first.keys.findCount('split.tensors.count')
    const found = readers.reduce((sum, reader) => sum + reader.header.tensors.size, 0)
    if (claimed !== undefined && claimed !== found) {
      throw new WeightsError(`${path}: ${claimed} tensors are announced, its ${parts} parts hold ${found}`)
    }
    return readers
  } catch (error) {
    await Promise.all(readers.map((reader) => reader.close()))
    throw error
  }
}

function otherParts(path: string, first: GgufReader, parts: number): string[] {
  if ((first.keys.findCount('split.no') ?? 0) !== 0) {
    throw new WeightsError(`${path}: this is a later part of a split model; name the part that ends in -00001-of-…`)
  }
  const match = PART_NAME.exec(basename(path))
  const stem = match?.[1]
  if (stem === undefined || match?.[2] !== '00001' || Number(match[3]) !== parts || parts > PARTS_MAX) {
    throw new WeightsError(`${path}: it is part 1 of ${parts}, so its name must end in -00001-of-${digits(parts)}.gguf`)
  }
  return Array.from({ length: parts - 1 }, (_, i) =>
    join(dirname(path), `${stem}-${digits(i + 2)}-of-${digits(parts)}.gguf`),
  )
}

async function openPart(path: string, parts: number, number: number): Promise<GgufReader> {
  const reader = await GgufReader.open(path)
  if (reader.keys.findCount('split.no') === number && reader.keys.findCount('split.count') === parts) return reader
  await reader.close()
  throw new WeightsError(`${path}: it does not say that it is part ${number + 1} of ${parts}`)
}

function digits(number: number): string {
  return String(number).padStart(5, '0')
}
