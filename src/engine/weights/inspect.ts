import type { Decoding, ModelCard } from '../messages.ts'
import type { ModelSpec } from '../model/spec.ts'
import { stringAt, stringCount } from './gguf/string-table.ts'
import { ModelFile } from './model-file.ts'
import type { Vocabulary } from './vocabulary.ts'

type NamedToken = { id: number; name: string }

/** What `models inspect` shows, as data. */
export type Inspection = {
  card: Omit<ModelCard, 'id'>
  spec: Omit<ModelSpec, 'bannedTokens'> & { bannedTokens: number }
  decoding: Decoding
  tokenizer: { pre: string; tokens: number; mask: NamedToken; ends: NamedToken[] }
  /** Parts of the model on disk, the named one first. */
  files: { path: string; tensors: number; bytes: number }[]
  types: { type: string; tensors: number; bytes: number }[]
  memory: {
    /** All tensors in their own types, as they are loaded. */
    weightBytes: number
    /** Keys and values of 1,000 tokens, at 2 bytes a number (BF16). */
    cacheBytesPerThousandTokens: number
  }
}

/** Opens, checks and describes a model's file. Throws WeightsError with a sentence where it cannot be used. */
export async function inspectModel(path: string): Promise<Inspection> {
  const file = await ModelFile.open(path)
  try {
    const { card, spec, decoding, vocabulary } = file
    const tensors = [...file.tensors.values()]
    return {
      card,
      spec: { ...spec, bannedTokens: spec.bannedTokens.length },
      decoding,
      tokenizer: {
        pre: vocabulary.pre,
        tokens: stringCount(vocabulary.tokens),
        mask: named(vocabulary, spec.maskToken),
        ends: spec.endTokens.map((id) => named(vocabulary, id)),
      },
      files: tally(tensors, ({ path }) => path).map(({ key: path, tensors, bytes }) => ({ path, tensors, bytes })),
      types: tally(tensors, ({ type }) => type).map(({ key: type, tensors, bytes }) => ({ type, tensors, bytes })),
      memory: {
        weightBytes: tensors.reduce((sum, { bytes }) => sum + bytes, 0),
        cacheBytesPerThousandTokens: 1000 * spec.layers * 2 * spec.kvHeads * spec.headWidth * 2,
      },
    }
  } finally {
    await file.close()
  }
}

/** The same as lines for people. */
export function renderInspection({ card, spec, decoding, tokenizer, files, types, memory }: Inspection): string {
  const { router } = spec
  const rows: [string, string][] = [
    ['name', card.name],
    ['description', card.description],
    ['license', card.license],
    ['architecture', `${spec.architecture}, ${spec.attention}${spec.shift ? ', shifted' : ''}`],
    ['parameters', millions(card.parameters)],
    [
      'layers',
      `${spec.layers} of width ${spec.width}, feed-forward ${spec.feedForward === 0 ? 'of experts only' : spec.feedForward}`,
    ],
    ['heads', `${spec.heads} of ${spec.headWidth}, ${spec.kvHeads} for keys and values`],
    ['experts', router === undefined ? 'none' : `${router.experts} of ${router.width}, ${router.used} used a token`],
    ['adapters', spec.adapterRank === 0 ? 'none' : `rank ${spec.adapterRank}`],
    ['context', `${spec.contextTokens} tokens`],
    ['decoding', `rule ${decoding.rule}, threshold ${decoding.threshold}, window ${decoding.window}`],
    ['tokenizer', `${tokenizer.tokens} tokens, pattern ${tokenizer.pre}, ${spec.bannedTokens} never drawn`],
    ['mask', renderToken(tokenizer.mask)],
    ['ends a turn', tokenizer.ends.map(renderToken).join(', ')],
    ...files.map((file): [string, string] => ['file', `${file.path}: ${tensorsOf(file)}`]),
    ...types.map((entry): [string, string] => [entry.type, tensorsOf(entry)]),
    ['memory', `${megabytes(memory.weightBytes)} weights`],
    ['', `${megabytes(memory.cacheBytesPerThousandTokens)} cache for 1,000 tokens`],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `${label.padEnd(width)}  ${text}`)
    .join('\n')
}

type Sum = { tensors: number; bytes: number }

function tally<T extends { bytes: number }>(
  items: readonly T[],
  keyOf: (item: T) => string,
): (Sum & { key: string })[] {
  const sums = new Map<string, Sum & { key: string }>()
  for (const item of items) {
    const key = keyOf(item)
    const sum = sums.get(key) ?? { key, tensors: 0, bytes: 0 }
    sum.tensors++
    sum.bytes += item.bytes
    sums.set(key, sum)
  }
  return [...sums.values()]
}

function named(vocabulary: Vocabulary, id: number): NamedToken {
  return { id, name: id < stringCount(vocabulary.tokens) ? stringAt(vocabulary.tokens, id) : '' }
}

function renderToken({ id, name }: NamedToken): string {
  return name === '' ? String(id) : `${id} ${name}`
}

function tensorsOf({ tensors, bytes }: Sum): string {
  return `${tensors} tensors, ${megabytes(bytes)}`
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function millions(count: number): string {
  return `${(count / 1e6).toFixed(1)} M`
}
