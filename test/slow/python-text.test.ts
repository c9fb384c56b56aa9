/** Text, templates and files against the packages that everybody else uses: tokenizers, Jinja2 and gguf from PyPI. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { ChatTurn } from '../../src/engine/messages.ts'
import { withoutBreaks } from '../../src/engine/tokenizer/break-specials.ts'
import { ChatTemplate } from '../../src/engine/tokenizer/chat-template.ts'
import { Tokenizer } from '../../src/engine/tokenizer/tokenizer.ts'
import { decodeTensor } from '../../src/engine/weights/decode.ts'
import { stringAt, stringCount } from '../../src/engine/weights/gguf/string-table.ts'
import type { GgufValue } from '../../src/engine/weights/gguf/format.ts'
import { GgufReader } from '../../src/engine/weights/gguf/reader.ts'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import { GGML_TYPE_NAMES } from '../../src/engine/weights/types.ts'
import { readVocabulary } from '../../src/engine/weights/vocabulary.ts'
import { mixedLines } from '../support/mixed-lines.ts'
import { askPython } from '../support/python.ts'
import { TEMPLATES } from '../support/templates.ts'
import { temporaryFolder } from '../support/tiny-models.ts'

const BASE = join(import.meta.dirname, '../../models/base.gguf')
const folder = temporaryFolder()
const SPECIALS = ['<|im_start|>', '<|im_end|>', '<|eot_id|>', '<role>', '</role>']

test('ids equal those of the package tokenizers on 10,000 mixed lines, in every pattern', async () => {
  const lines = mixedLines(10_000)
  const expected = askPython('reference.py', ['ids'], { gguf: BASE, lines }) as Record<string, number[][]>
  const reader = await GgufReader.open(BASE)
  const vocabulary = readVocabulary(reader.keys)
  await reader.close()
  deepEqual(Object.keys(expected), ['smollm', 'gpt-2', 'llama-bpe', 'bailingmoe'])
  for (const [pre, ids] of Object.entries(expected)) {
    const tokenizer = new Tokenizer({ ...vocabulary, pre })
    for (const [i, line] of lines.entries()) {
      equal(tokenizer.encode(line).join(), ids[i]?.join(), `${pre}: ${JSON.stringify(line)}`)
    }
  }
})

test('whole prompts are the ids that the package tokenizers gives, where no text names a special token', async () => {
  const reader = await GgufReader.open(BASE)
  const tokenizer = new Tokenizer(readVocabulary(reader.keys))
  await reader.close()
  const source = Object.values(TEMPLATES)[0] ?? ''
  const template = new ChatTemplate(source, { specials: tokenizer.specials, begin: '', end: '' })
  const plain = conversations().filter((turns) => turns.every(({ text }) => !text.includes('<|')))
  const prompts = plain.map((turns) => {
    const rendered = template.render(turns)
    return rendered.kind === 'prompt' ? rendered.prompt : ''
  })
  ok(prompts.length > 20)
  const expected = askPython('reference.py', ['prompts'], {
    gguf: BASE,
    prompts: prompts.map(withoutBreaks),
  }) as number[][]
  for (const [i, prompt] of prompts.entries()) deepEqual(tokenizer.encodePrompt(prompt), expected[i])
})

function conversations(): ChatTurn[][] {
  const lines = mixedLines(600)
  const line = (i: number) => lines[i % lines.length] ?? ''
  const forms: ChatTurn['role'][][] = [
    ['user'],
    ['system', 'user'],
    ['user', 'assistant', 'user'],
    ['system', 'user', 'assistant', 'user', 'assistant', 'user'],
    ['user', 'user'],
    ['assistant', 'user'],
    ['user', 'assistant', 'tool', 'user'],
    ['user', 'system'],
  ]
  return Array.from({ length: 120 }, (_, i) =>
    (forms[i % forms.length] ?? []).map((role, j): ChatTurn => ({ role, text: line(i * 5 + j) })),
  )
}

describe('chat templates render as Jinja2 renders them', () => {
  for (const [name, source] of Object.entries(TEMPLATES)) {
    test(name, () => {
      const template = new ChatTemplate(source, { specials: SPECIALS, begin: '<s>', end: '</s>' })
      const all = conversations()
      const cases = all.map((turns) => ({
        template: source,
        messages: turns.map(({ role, text }) => ({ role, content: text })),
        bos: '<s>',
        eos: '</s>',
      }))
      const expected = askPython('reference.py', ['template'], { cases }) as (
        | { prompt: string }
        | { refused: string }
      )[]
      let rendered = 0
      for (const [i, turns] of all.entries()) {
        const ours = template.render(turns)
        const theirs = expected[i]
        ok(theirs !== undefined)
        if (ours.kind === 'refused') deepEqual({ refused: ours.reason }, theirs)
        else deepEqual({ prompt: withoutBreaks(ours.prompt) }, theirs)
        rendered += ours.kind === 'prompt' ? 1 : 0
      }
      ok(rendered > 10, `${rendered} of ${all.length} were rendered`)
    })
  }
})

test('a file that the package gguf wrote reads and decodes as it says, every type', async () => {
  askPython('quantise.py', [folder], {})
  const reader = await GgufReader.open(join(folder, 'types.gguf'))
  const words = reader.keys.findTable('some.words')
  ok(words !== undefined)
  deepEqual(strings({ type: 'array', of: 'string', value: words }), ['one', 'zwei', '三'])
  equal(reader.keys.findNumber('some.number'), 0.1)
  deepEqual([...reader.header.tensors.keys()].sort(), [...GGML_TYPE_NAMES].sort())
  for (const tensor of reader.header.tensors.values()) {
    const decoded = decodeTensor(tensor.type, await reader.read(tensor))
    const expected = readFileSync(join(folder, `${tensor.name}.f32`))
    equal(decoded.length, expected.length / 4)
    for (const [i, value] of decoded.entries()) {
      // Not Object.is: −0 and 0 multiply alike.
      if (value !== expected.readFloatLE(4 * i)) equal(value, expected.readFloatLE(4 * i), `${tensor.name}[${i}]`)
    }
  }
  await reader.close()
})

function strings(value: GgufValue): unknown {
  if (value.type !== 'array') return typeof value.value === 'bigint' ? Number(value.value) : value.value
  if (value.of === 'string') return Array.from({ length: stringCount(value.value) }, (_, i) => stringAt(value.value, i))
  return Array.from(value.value as ArrayLike<unknown>)
}

test('a file that we wrote reads in the package gguf as it was meant, keys and tensors', async () => {
  for (const [like, type] of [
    ['tiny-moe', 'F32'],
    ['tiny-causal-moe', 'Q8_0'],
    ['tiny-dense', 'Q4_1'],
  ] as const) {
    const path = join(folder, `${like}.gguf`)
    await writeRandomModel(path, { like, seed: 1, type })
    const theirs = askPython('reference.py', ['gguf'], { path }) as {
      keys: Record<string, unknown>
      tensors: Record<string, { type: string; shape: number[]; sha256: string }>
    }
    const reader = await GgufReader.open(path)
    deepEqual(theirs.keys, Object.fromEntries([...reader.header.keys].map(([name, value]) => [name, strings(value)])))
    for (const tensor of reader.header.tensors.values()) {
      const sha256 = createHash('sha256')
        .update(await reader.read(tensor))
        .digest('hex')
      deepEqual(theirs.tensors[tensor.name], { type: tensor.type, shape: tensor.shape, sha256 })
    }
    equal(Object.keys(theirs.tensors).length, reader.header.tensors.size)
    await reader.close()
  }
})
