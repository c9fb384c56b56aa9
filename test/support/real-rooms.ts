/** The bundled pair, or other models, opened once in this process for tests and benches of decoding. */
import type { GgmlForward } from '../../src/engine/model/ggml-forward.ts'
import { openRooms, type Rooms } from '../../src/engine/open-rooms.ts'
import type { Room, TextStream } from '../../src/engine/room.ts'
import type { Opening } from '../../src/engine/wire.ts'
import { KERNEL_FOLDER } from './kernel.ts'

const FOLDER = new URL('../../models/', import.meta.url).pathname
const PAIR = { Model: `${FOLDER}model.gguf`, 'Model-MoE': `${FOLDER}model-moe.gguf` }

export type RealRooms = {
  forwards: GgmlForward[]
  rooms: Map<string, Room>
  encode(model: string, text: string): Promise<Prompt>
  close(): Promise<void>
}
type Prompt = { ids: number[]; beginning: number }

/** One that opens closes. Text is the numbers of the tokens, so that equal text means equal tokens. */
export async function openRealRooms(
  cacheFolder: string,
  threads = 1,
  { models = PAIR, kernel = 'auto' }: Partial<Pick<Opening, 'models' | 'kernel'>> = {},
): Promise<RealRooms> {
  const opened = await openRooms({
    models,
    cacheFolder,
    threads,
    kernel,
    kernelFolders: [KERNEL_FOLDER],
    cacheTokens: 12_288,
    queueMax: 1000,
    runningMax: 16,
    prefillChunk: 128,
    streamIdleMs: 60_000,
  })
  for (const forward of opened.forwards) forward.threads = threads
  const rooms = new Map(opened.rooms.entries().map(([id, room]) => [id, { ...room, openText: openNumbers }] as const))
  const encode = async (model: string, text: string): Promise<Prompt> => {
    const prompt = await opened.encoder.encode(model, [{ role: 'user', text }], 4096)
    if (prompt.kind !== 'ids') throw new Error(`the prompt is ${prompt.kind}`)
    return prompt
  }
  return { rooms, forwards: opened.forwards, encode, close: () => closeRooms(opened) }
}

async function closeRooms({ forwards, encoder }: Rooms): Promise<void> {
  for (const forward of forwards) forward.close()
  await encoder.close()
}

/** A text stream that writes each token as its number. */
export function openNumbers(): TextStream {
  let count = 0
  return {
    push(tokens) {
      count += tokens.length
      return tokens.map((token) => `${token} `).join('')
    },
    finish: () => '',
    stopped: false,
    get tokens() {
      return count
    },
  }
}
