import { findKernel, type FoundKernel } from './ggml/find-kernel.ts'
import { loadGgml } from './ggml/load.ts'
import type { ModelCard } from './messages.ts'
import { countCores, decideCells, measureMemory } from './machine.ts'
import { type GgmlForward, openForward } from './model/ggml-forward.ts'
import { openRoom, type Room } from './room.ts'
import { Encoder } from './tokenizer/encoder.ts'
import { StreamText } from './tokenizer/stream-text.ts'
import { Tokenizer } from './tokenizer/tokenizer.ts'
import { ModelFile } from './weights/model-file.ts'
import type { Opening } from './wire.ts'

export type Rooms = {
  rooms: Map<string, Room>
  forwards: GgmlForward[]
  cards: ModelCard[]
  encoder: Encoder
  cores: number
  products: FoundKernel
}

/** Opens every bound model. Throws a sentence that names the model where one cannot be opened. */
export async function openRooms(opening: Opening): Promise<Rooms> {
  const products = await chooseProducts(opening)
  const made: Rooms = {
    rooms: new Map(),
    forwards: [],
    cards: [],
    encoder: new Encoder(),
    cores: countCores(),
    products,
  }
  const memoryBytes = measureMemory()
  const encoders: Promise<void>[] = []
  for (const [id, path] of Object.entries(opening.models)) {
    await orNamed(id, addRoom(made, encoders, { id, path, memoryBytes, opening }))
  }
  await Promise.all(encoders)
  return made
}

async function chooseProducts({ kernel, kernelFolders }: Opening): Promise<FoundKernel> {
  if (kernel === 'ggml') return { kernel: undefined, why: 'engine.kernel is ggml' }
  return findKernel(loadGgml(), kernelFolders)
}

async function orNamed(id: string, opened: Promise<void>): Promise<void> {
  try {
    await opened
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error)
    throw new Error(`The model ${id} cannot be opened: ${sentence}`, { cause: error })
  }
}

type Wish = { id: string; path: string; memoryBytes: number; opening: Opening }

async function addRoom(
  made: Rooms,
  encoders: Promise<void>[],
  { id, path, memoryBytes, opening }: Wish,
): Promise<void> {
  const file = await ModelFile.open(path, opening.cacheFolder)
  // The encoder's thread reads the vocabulary while weights are loaded here.
  const encoder = orNamed(id, made.encoder.addModel(id, file))
  // Told when all are awaited; until then it is not "unhandled".
  encoder.catch(() => {})
  encoders.push(encoder)
  const forward = await openForward(file, {
    precision: 'file',
    kernel: made.products.kernel,
    cacheType: 'bf16',
    cells: decideCells(opening.cacheTokens, file.spec, memoryBytes),
    threads: 1,
    keepLogits: false,
  })
  await file.close()
  const tokenizer = new Tokenizer(file.vocabulary)
  const bytesOf = (token: number): Uint8Array => tokenizer.bytes(token)
  const utf8 = new TextDecoder()
  const { spec, decoding } = file
  made.forwards.push(forward)
  made.cards.push({ ...file.card, id })
  made.rooms.set(
    id,
    openRoom({
      id,
      spec,
      decoding,
      forward,
      openText: (stop) => new StreamText(bytesOf, stop),
      tokenText: (token) => utf8.decode(bytesOf(token)),
    }),
  )
}
