import { deepEqual, equal, ok } from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promptSteps, runAlone, windowStep } from '../../../test/support/forward-scripts.ts'
import { openRandomModel, temporaryFolder } from '../../../test/support/tiny-models.ts'
import { loadGgml } from '../ggml/load.ts'
import { decodeTensor } from '../weights/decode.ts'
import { ModelFile, type TensorPlace } from '../weights/model-file.ts'
import { writeRandomModel } from '../weights/random.ts'
import { openForward, type ForwardOptions } from './ggml-forward.ts'
import { loadWeights } from './load-weights.ts'

const OPTIONS: ForwardOptions = { precision: 'file', cacheType: 'bf16', cells: 256, threads: 1, keepLogits: true }

test('two models that name one base share its weights until the last is released', async () => {
  const folder = temporaryFolder()
  const paths = [join(folder, 'one.gguf'), join(folder, 'two.gguf')]
  await writeRandomModel(paths[0] ?? '', { like: 'tiny-causal', seed: 1, separateBase: true })
  cpSync(paths[0] ?? '', paths[1] ?? '')
  const files = await Promise.all(paths.map((path) => ModelFile.open(path)))
  after(() => Promise.all(files.map((file) => file.close())))
  const ggml = loadGgml()
  const [one, two] = await Promise.all(
    files.map((file) => loadWeights(ggml, file, { precision: 'file', kernel: undefined })),
  )
  if (one === undefined || two === undefined) throw new Error('two models were loaded')
  equal(one.embedding, two.embedding)
  ok(one.maskVector !== two.maskVector)
  one.release()
  two.release()
  const [first] = files
  if (first === undefined) throw new Error('a file was opened')
  const forward = await openForward(first, OPTIONS)
  await runAlone(forward, promptSteps([5, 6, 7], []))
  forward.close()
})

test('one file and the same split into base and additions compute the same bits', async () => {
  const whole = await openRandomModel('tiny-causal-moe')
  const apart = await openRandomModel('tiny-causal-moe', { separateBase: true })
  const script = [...promptSteps([9, 8, 7, 6], []), windowStep(4, [5], [5, whole.spec.maskToken, 3])]
  const results = []
  for (const file of [whole, apart]) {
    const forward = await openForward(file, OPTIONS)
    results.push(await runAlone(forward, script))
    forward.close()
  }
  deepEqual(results[0], results[1])
})

test('matrices that cannot be joined, because their types differ, give what joined ones give', async () => {
  const file = await openRandomModel('tiny-causal', { type: 'F16' })
  const script = [...promptSteps([9, 8, 7, 6], []), windowStep(4, [5], [5, file.spec.maskToken, 3])]
  const results = []
  for (const one of [file, withWideKeys(file)]) {
    const forward = await openForward(one, { ...OPTIONS, precision: 'f32' })
    results.push(await runAlone(forward, script))
    forward.close()
  }
  deepEqual(results[0], results[1])
})

/** The same file, but its keys' matrices say that they are F32. */
function withWideKeys(file: ModelFile): ModelFile {
  const get = (name: string): TensorPlace => {
    const place = file.get(name)
    return name.endsWith('attn_k.weight') ? { ...place, type: 'F32', bytes: place.bytes * 2 } : place
  }
  const read = async (place: TensorPlace, target?: Uint8Array): Promise<Uint8Array> => {
    const own = file.get(place.name)
    if (own.type === place.type) return file.read(own, target)
    const numbers = decodeTensor(own.type, await file.read(own))
    target?.set(new Uint8Array(numbers.buffer))
    return new Uint8Array(numbers.buffer)
  }
  return Object.create(file, { get: { value: get }, read: { value: read } })
}
