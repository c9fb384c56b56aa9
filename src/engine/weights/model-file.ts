import { basename, dirname, join } from 'node:path'
import type { Decoding, ModelCard } from '../messages.ts'
import type { ModelSpec } from '../model/spec.ts'
import { describeCard, describeDecoding } from './describe-card.ts'
import { describeModel } from './describe.ts'
import { fileSha256 } from './checksum.ts'
import { WeightsError } from './errors.ts'
import { expectedTensors, TYPES_OF } from './expected-tensors.ts'
import { ADDITIONS } from './families.ts'
import type { TensorEntry } from './gguf/format.ts'
import { openParts } from './gguf/open-split.ts'
import type { GgufKeys } from './gguf/keys.ts'
import type { GgufReader } from './gguf/reader.ts'
import { readVocabulary } from './vocabulary.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Where a tensor's bytes stand. Two models that name one base have equal places for its tensors. */
export type TensorPlace = TensorEntry & { path: string }

type Sources = { own: GgufReader[]; base: GgufReader[] }

/**
 * One model as bound: a GGUF file, a split one, or a file of additions with the base that it names by checksum.
 * Open, all of it is checked: keys, and presence, shape and type of every tensor. Tensor bytes stay on disk.
 */
export class ModelFile {
  readonly path: string
  readonly spec: ModelSpec
  readonly decoding: Decoding
  readonly card: Omit<ModelCard, 'id'>
  readonly vocabulary: Vocabulary
  /** The chat template, Jinja. */
  readonly template: string
  /** What its makers measured, as the file tells it (the key `unmask.figures`, JSON); undefined where it tells nothing. */
  readonly figures: Readonly<Record<string, unknown>> | undefined
  /** Additions first, then the base. */
  readonly tensors: ReadonlyMap<string, TensorPlace>
  private readonly readers: ReadonlyMap<string, GgufReader>

  private constructor(path: string, { own, base }: Sources) {
    const [ownFirst, baseFirst] = [own[0], base[0]]
    if (ownFirst === undefined || baseFirst === undefined) throw new WeightsError(`${path}: nothing was opened`)
    const readers = [...new Set([...own, ...base])]
    const [ownKeys, baseKeys] = [ownFirst.keys, baseFirst.keys]
    this.path = path
    this.readers = new Map(readers.map((reader) => [reader.path, reader]))
    this.tensors = collectTensors(readers)
    this.vocabulary = readVocabulary(baseKeys)
    const rows = this.get('token_embd.weight').shape[1] ?? 0
    if (rows < this.vocabulary.types.length) {
      throw new WeightsError(`the embedding has ${rows} rows for ${this.vocabulary.types.length} tokens`)
    }
    const tied = !this.tensors.has('output.weight')
    this.spec = describeModel({ base: baseKeys, own: ownKeys, vocabulary: this.vocabulary, rows, tied })
    this.checkTensors()
    this.decoding = describeDecoding(ownKeys, this.spec)
    this.card = describeCard({ path, readers, own: ownKeys, base: baseKeys, spec: this.spec, decoding: this.decoding })
    const template = ownKeys.findString('unmask.chat_template') ?? baseKeys.findString('tokenizer.chat_template')
    this.template = template ?? baseKeys.miss('tokenizer.chat_template')
    this.figures = readFigures(ownKeys)
  }

  /** `cacheFolder`: where verified checksums of bases are remembered. Throws WeightsError with a sentence. */
  static async open(path: string, cacheFolder?: string): Promise<ModelFile> {
    const sources = await openSources(path, cacheFolder)
    try {
      return new ModelFile(path, sources)
    } catch (error) {
      await closeAll(sources)
      throw withPath(error, path)
    }
  }

  find(name: string): TensorPlace | undefined {
    return this.tensors.get(name)
  }

  get(name: string): TensorPlace {
    const place = this.tensors.get(name)
    if (place === undefined) throw new WeightsError(`${this.path}: the tensor ${name} is missing`)
    return place
  }

  /** The bytes as they stand on disk, in a new array or in `target`. */
  async read(place: TensorPlace, target?: Uint8Array): Promise<Uint8Array> {
    const reader = this.readers.get(place.path)
    if (reader === undefined) throw new RangeError(`${place.path} is no part of ${this.path}`)
    return reader.read(place, target)
  }

  async close(): Promise<void> {
    await Promise.all([...this.readers.values()].map((reader) => reader.close()))
  }

  private checkTensors(): void {
    // Refused before the list is made: a lying number of layers must not cost memory.
    if (this.spec.layers < 1 || this.spec.layers > this.tensors.size) {
      throw new WeightsError(`${this.spec.layers} layers are announced, but there are ${this.tensors.size} tensors`)
    }
    const expected = new Set<string>()
    for (const { name, shape, types } of expectedTensors(this.spec)) {
      expected.add(name)
      const place = this.get(name)
      if (place.shape.join() !== shape.join()) {
        throw new WeightsError(
          `the tensor ${name} is [${place.shape.join(', ')}]; its model needs [${shape.join(', ')}]`,
        )
      }
      const allowed = TYPES_OF[types]
      if (allowed !== undefined && !allowed.includes(place.type)) {
        throw new WeightsError(`the tensor ${name} is ${place.type}; it must be ${allowed.join(' or ')}`)
      }
    }
    for (const name of this.tensors.keys()) {
      // Leaving it out in silence would give a model that runs and talks nonsense.
      if (!expected.has(name)) throw new WeightsError(`nothing here knows what to do with the tensor ${name}`)
    }
  }
}

async function openSources(path: string, cacheFolder: string | undefined): Promise<Sources> {
  const own = await openParts(path)
  const keys = own[0]?.keys
  if (keys?.findString('general.architecture') !== ADDITIONS) return { own, base: own }
  try {
    const version = keys.getCount('unmask.version')
    if (version !== 1) keys.refuse('unmask.version', `1; this program is too old for ${version}`)
    const name = keys.findString('unmask.base.file') ?? keys.miss('unmask.base.file')
    // Only a bare name: a file of additions must not reach outside its folder.
    if (name !== basename(name) || name === '' || name.startsWith('.')) keys.refuse('unmask.base.file', 'a file name')
    const basePath = join(dirname(path), name)
    const base = await openParts(basePath)
    await checkBase(
      keys.findString('unmask.base.sha256') ?? keys.miss('unmask.base.sha256'),
      basePath,
      cacheFolder,
    ).catch(async (error: unknown) => {
      await Promise.all(base.map((reader) => reader.close()))
      throw error
    })
    return { own, base }
  } catch (error) {
    await Promise.all(own.map((reader) => reader.close()))
    throw withPath(error, path)
  }
}

async function checkBase(expected: string, basePath: string, cacheFolder: string | undefined): Promise<void> {
  const found = await fileSha256(basePath, cacheFolder)
  if (found === expected.toLowerCase()) return
  throw new WeightsError(`it was made for another ${basename(basePath)} (sha256 ${expected}); this one is ${found}`)
}

function collectTensors(readers: readonly GgufReader[]): Map<string, TensorPlace> {
  const tensors = new Map<string, TensorPlace>()
  for (const { path, header } of readers) {
    for (const tensor of header.tensors.values()) {
      const earlier = tensors.get(tensor.name)
      if (earlier !== undefined) throw new WeightsError(`${tensor.name} stands in ${earlier.path} and in ${path}`)
      tensors.set(tensor.name, { ...tensor, path })
    }
  }
  return tensors
}

async function closeAll({ own, base }: Sources): Promise<void> {
  await Promise.all([...new Set([...own, ...base])].map((reader) => reader.close()))
}

function withPath(error: unknown, path: string): unknown {
  if (!(error instanceof WeightsError) || error.message.includes(path)) return error
  return new WeightsError(`${path}: ${error.message}`)
}

/** Throws WeightsError where the key is there and is no JSON object. */
function readFigures(own: GgufKeys): Record<string, unknown> | undefined {
  const text = own.findString('unmask.figures')
  if (text === undefined) return undefined
  try {
    const figures: unknown = JSON.parse(text)
    if (typeof figures === 'object' && figures !== null && !Array.isArray(figures)) return { ...figures }
  } catch {
    // Told below.
  }
  return own.refuse('unmask.figures', 'a JSON object')
}
