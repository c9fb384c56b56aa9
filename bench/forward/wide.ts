import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Kernel, PackedType } from '../../src/engine/ggml/kernel.ts'
import { openRooms } from '../../src/engine/open-rooms.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import { openNumbers } from '../../test/support/real-rooms.ts'
import type { Limits } from '../kernel/limits.ts'
import { generate } from '../peers/generate.ts'
import { maskedBlock, measureForward, type Timed } from './measure.ts'
import { ProductsAlone } from './products.ts'

export const WIDE_TYPES = ['Q8_0', 'Q4_K'] as const satisfies readonly PackedType[]
const BLOCK = 32
const PER_STEP = 8
const RUNS = 3

export type Wide = Timed & {
  type: string
  threads: number
  loadSeconds: number
  /** Bytes of the process after loading: weights, cache, program. */
  residentGiB: number
  /** A reply of one block, prompt included. */
  tokensPerSecond: number
  replySeconds: number
  /** What no forward can be faster than: all weights read once, told of one thread; all multiply-adds done by the instruction alone. */
  readFloorMs?: number
  workFloorMs: number
}

/** Random weights in the shape of LLaDA-8B: written, loaded, asked, and deleted. */
export async function measureWide(
  kernel: Kernel,
  type: (typeof WIDE_TYPES)[number],
  { threads, limits }: { threads: readonly number[]; limits: Limits },
): Promise<Wide[]> {
  const folder = mkdtempSync(join(tmpdir(), 'unmask-bench-'))
  try {
    const path = join(folder, 'wide.gguf')
    await writeRandomModel(path, { like: 'llada-8b', seed: 1, type })
    return await measureFile(kernel, path, { type, threads, limits })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureFile(
  kernel: Kernel,
  path: string,
  { type, threads, limits }: { type: string; threads: readonly number[]; limits: Limits },
): Promise<Wide[]> {
  const start = performance.now()
  const opened = await openRooms({
    models: { Model: path },
    cacheFolder: join(path, '..'),
    threads: 1,
    kernel: 'auto',
    kernelFolders: [resolve('node_modules/.cache/kernel')],
    cacheTokens: 1024,
    queueMax: 4,
    runningMax: 1,
    prefillChunk: 128,
    streamIdleMs: 600_000,
  })
  const [forward] = opened.forwards
  const room = opened.rooms.get('Model')
  if (forward === undefined || room === undefined) throw new Error('a model was opened')
  const loadSeconds = (performance.now() - start) / 1000
  const residentGiB = process.memoryUsage().rss / 2 ** 30
  const file = await ModelFile.open(path)
  const products = await ProductsAlone.open(file, kernel)
  const bytes = forward.bytes.weights - file.get('token_embd.weight').bytes
  const work = 2 * BLOCK * countProducts(file)
  const measured: Wide[] = []
  for (const count of threads) {
    forward.threads = count
    const timed = await measureForward(forward, products, {
      spans: maskedBlock(BLOCK, file.spec.maskToken),
      runs: RUNS,
    })
    const prompt = Array.from({ length: BLOCK }, (_, i) => 10 + i)
    const rooms = new Map([['Model', { ...room, openText: openNumbers }]])
    const decoding = { rule: 'fixed', window: BLOCK, perStep: PER_STEP } as const
    const reply = await generate({ rooms }, decoding, prompt, BLOCK)
    measured.push({
      type,
      threads: count,
      loadSeconds,
      residentGiB,
      ...timed,
      tokensPerSecond: (reply.tokens.length / reply.wholeMs) * 1000,
      replySeconds: reply.wholeMs / 1000,
      ...(count === 1 ? { readFloorMs: bytes / limits.readGbytes / 1e6 } : {}),
      workFloorMs: work / (limits.peakGflops * count) / 1e6,
    })
  }
  products.close()
  await file.close()
  forward.close()
  await opened.encoder.close()
  return measured
}

/** Numbers of all matrices that every row meets. */
function countProducts(file: ModelFile): number {
  let count = 0
  for (const { name, shape } of file.tensors.values()) {
    const [from = 1, to = 1] = shape
    if (shape.length === 2 && name !== 'token_embd.weight') count += from * to
  }
  return count
}
