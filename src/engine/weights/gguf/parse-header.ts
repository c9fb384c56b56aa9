import { WeightsError } from '../errors.ts'
import { findTypeName, GGML_TYPE_NAMES, tensorBytes } from '../types.ts'
import { ALIGNMENT_DEFAULT, ALIGNMENT_KEY, alignUp, DIMENSIONS_MAX, MAGIC, VERSIONS } from './format.ts'
import type { GgufValue, TensorEntry } from './format.ts'
import { HeaderCursor, MoreWanted } from './header-cursor.ts'
import { parseValue } from './parse-value.ts'

export type GgufHeader = {
  version: number
  alignment: number
  keys: Map<string, GgufValue>
  tensors: Map<string, TensorEntry>
}

/** `more`: the header is longer than the bytes given; come back with at least so many of the file. */
export type ParsedHeader = { kind: 'header'; header: GgufHeader } | { kind: 'more'; bytes: number }

/** Smallest key: length, no name, type, one byte. Smallest tensor: length, no name, one dimension, type, offset. */
const KEY_BYTES_MIN = 13
const TENSOR_BYTES_MIN = 32

/** Reads the beginning of a GGUF file whose whole size is `fileBytes`. Throws WeightsError without the file's name. */
export function parseHeader(bytes: Uint8Array, fileBytes: number): ParsedHeader {
  try {
    return { kind: 'header', header: parseAll(new HeaderCursor(bytes, fileBytes)) }
  } catch (error) {
    if (error instanceof MoreWanted) return { kind: 'more', bytes: error.bytes }
    throw error
  }
}

function parseAll(cursor: HeaderCursor): GgufHeader {
  const version = parseVersion(cursor)
  const tensorCount = cursor.count('tensors', TENSOR_BYTES_MIN)
  const keyCount = cursor.count('keys', KEY_BYTES_MIN)
  const keys = new Map<string, GgufValue>()
  for (let i = 0; i < keyCount; i++) {
    const name = cursor.string(`the name of key ${i}`)
    if (keys.has(name)) throw new WeightsError(`the key ${name} stands twice`)
    keys.set(name, parseValue(cursor, `the key ${name}`))
  }
  const alignment = alignmentOf(keys)
  const tensors = new Map<string, TensorEntry>()
  for (let i = 0; i < tensorCount; i++) {
    const tensor = parseTensor(cursor, i)
    if (tensors.has(tensor.name)) throw new WeightsError(`the tensor ${tensor.name} stands twice`)
    tensors.set(tensor.name, tensor)
  }
  placeTensors(tensors, alignUp(cursor.at, alignment), alignment, cursor.fileBytes)
  return { version, alignment, keys, tensors }
}

function parseVersion(cursor: HeaderCursor): number {
  if (cursor.fileBytes < 8 || cursor.u32('the magic') !== MAGIC) {
    throw new WeightsError('this is no GGUF file: it does not begin with "GGUF"')
  }
  const version = cursor.u32('the version')
  if (VERSIONS.includes(version)) return version
  if (version % 2 ** 16 === 0 && version > 0) throw new WeightsError('a big-endian GGUF file: convert it first')
  throw new WeightsError(`GGUF version ${version} is not known here; ${VERSIONS.join(' and ')} are`)
}

function alignmentOf(keys: Map<string, GgufValue>): number {
  const value = keys.get(ALIGNMENT_KEY)?.value ?? ALIGNMENT_DEFAULT
  if (typeof value !== 'number' || value < 8 || value > 2 ** 20 || !Number.isInteger(Math.log2(value))) {
    throw new WeightsError(`${ALIGNMENT_KEY} must be a power of two from 8 to 1048576`)
  }
  return value
}

/** The offset is still relative to the data. */
function parseTensor(cursor: HeaderCursor, i: number): TensorEntry {
  const name = cursor.string(`the name of tensor ${i}`)
  const dimensions = cursor.u32(`the dimensions of tensor ${name}`)
  if (dimensions < 1 || dimensions > DIMENSIONS_MAX) {
    throw new WeightsError(`tensor ${name} has ${dimensions} dimensions; 1 to ${DIMENSIONS_MAX} are possible`)
  }
  const shape: number[] = []
  for (let d = 0; d < dimensions; d++) shape.push(cursor.u64(`dimension ${d} of tensor ${name}`))
  if (shape.includes(0)) throw new WeightsError(`tensor ${name} has a dimension of 0`)
  const id = cursor.u32(`the type of tensor ${name}`)
  const type = findTypeName(id)
  if (type === undefined) {
    throw new WeightsError(`tensor ${name} has ggml type ${id}; readable are ${GGML_TYPE_NAMES.join(', ')}`)
  }
  const offset = cursor.u64(`the offset of tensor ${name}`)
  try {
    return { name, type, shape, bytes: tensorBytes(type, shape), offset }
  } catch (error) {
    if (error instanceof WeightsError) throw new WeightsError(`tensor ${name}: ${error.message}`)
    throw error
  }
}

function placeTensors(tensors: Map<string, TensorEntry>, base: number, alignment: number, fileBytes: number): void {
  for (const tensor of tensors.values()) {
    if (tensor.offset % alignment !== 0) {
      throw new WeightsError(`tensor ${tensor.name} begins at ${tensor.offset}, which is no multiple of ${alignment}`)
    }
    tensor.offset += base
    const end = tensor.offset + tensor.bytes
    if (!(end <= fileBytes)) {
      throw new WeightsError(
        `tensor ${tensor.name} should end at byte ${end}, but the file ends at byte ${fileBytes}: it is cut or damaged`,
      )
    }
  }
}
