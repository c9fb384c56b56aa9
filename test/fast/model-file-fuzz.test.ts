import { ok } from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { PromptEncoder } from '../../src/engine/tokenizer/prompt-encoder.ts'
import { WeightsError } from '../../src/engine/weights/errors.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import { temporaryFolder } from '../support/tiny-models.ts'

const folder = temporaryFolder()
const HUGE = Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 127)

/** Opens the file and makes all that a served model needs of its text. */
async function use(path: string): Promise<Error | undefined> {
  try {
    const file = await ModelFile.open(path)
    await file.close()
    const { tokenizer } = new PromptEncoder(file.vocabulary, file.template)
    tokenizer.encode('Hello')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

for (const like of ['tiny-moe', 'tiny-causal-moe']) {
  test(`${like} with bytes overwritten: a model that is whole, or a sentence`, async () => {
    const path = join(folder, `${like}.gguf`)
    await writeRandomModel(path, { like, seed: 1 })
    const honest = readFileSync(path)
    // Keys, tokens and tensor table; behind them are numbers, and any number is a number.
    const headerBytes = honest.indexOf('blk.1.ffn_norm.weight') + 200
    const overwrite = fc.tuple(
      fc.nat(headerBytes),
      fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.constant(new Uint8Array(8)), fc.constant(HUGE)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(overwrite, { minLength: 1, maxLength: 3 }), async (writes) => {
        const handle = openSync(path, 'r+')
        for (const [at, patch] of writes) writeSync(handle, patch, 0, patch.length, at)
        const error = await use(path)
        for (const [at, patch] of writes) writeSync(handle, honest, at, patch.length, at)
        closeSync(handle)
        ok(error === undefined || error instanceof WeightsError, String(error?.stack))
        ok(error === undefined || error.message.length > 20)
      }),
      { numRuns: 400 },
    )
  })
}
