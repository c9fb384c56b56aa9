import { basename } from 'node:path'
import type { Decoding, ModelCard } from '../messages.ts'
import type { ModelSpec } from '../model/spec.ts'
import { DECODING_DEFAULTS } from './families.ts'
import type { GgufKeys } from './gguf/keys.ts'
import type { GgufReader } from './gguf/reader.ts'

export type CardSources = {
  path: string
  readers: readonly GgufReader[]
  own: GgufKeys
  base: GgufKeys
  spec: ModelSpec
  decoding: Decoding
}

/** How the model is decoded where a request does not say. Whether the rule exists is the denoiser's to judge. */
export function describeDecoding(own: GgufKeys, spec: ModelSpec): Decoding {
  const defaults = DECODING_DEFAULTS[spec.attention]
  const threshold = own.findNumber('unmask.threshold') ?? defaults.threshold
  if (!(threshold >= 0 && threshold <= 1)) own.refuse('unmask.threshold', 'from 0 to 1')
  if (spec.blockSize < 1 || spec.blockSize > 256) own.refuse('unmask.window', 'from 1 to 256')
  // Keys are F32: 0.30000001192092896 is shown, and compared, as the 0.3 that was meant.
  const shown = Number(threshold.toPrecision(7))
  const rule = own.findString('unmask.rule') ?? defaults.rule
  const paced = rule === 'verified' ? { paced: true } : {}
  return { rule, threshold: shown, window: spec.blockSize, perStep: 1, ...paced }
}

/** What can be told of the model. */
export function describeCard({ path, readers, own, base, spec, decoding }: CardSources): Omit<ModelCard, 'id'> {
  const parameters = readers.flatMap((reader) => [...reader.header.tensors.values()])
  return {
    createdAt: own.findCount('unmask.created_at') ?? Math.floor((readers[0]?.modifiedMs ?? 0) / 1000),
    name: own.findString('general.name') ?? basename(path, '.gguf'),
    description: own.findString('general.description') ?? '',
    license: own.findString('general.license') ?? base.findString('general.license') ?? 'unknown',
    architecture: spec.architecture,
    attention: spec.attention,
    parameters: parameters.reduce((sum, tensor) => sum + tensor.shape.reduce((product, n) => product * n, 1), 0),
    fileBytes: readers.reduce((sum, reader) => sum + reader.fileBytes, 0),
    contextTokens: spec.contextTokens,
    decoding,
  }
}
