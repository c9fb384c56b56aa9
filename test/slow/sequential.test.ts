import { deepEqual, equal } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openForward } from '../../src/engine/model/ggml-forward.ts'
import { openRoom } from '../../src/engine/room.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { LocalEngine, localRequest, textOf } from '../support/local-engine.ts'
import { testedKernel } from '../support/kernel.ts'
import { openNumbers } from '../support/real-rooms.ts'

const ROOT = join(import.meta.dirname, '../..')

type Recorded = { tokensMax: number; cases: { question: string; prompt: number[]; reply: number[] }[] }

test('`sequential` in F32 says what PyTorch says one token at a time, on 50 prompts', async () => {
  const path = join(ROOT, 'test/fixtures/engine/sequential-f32.json')
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Recorded
  const file = await ModelFile.open(join(ROOT, 'models/model.gguf'))
  const forward = await openForward(file, {
    precision: 'f32',
    kernel: await testedKernel(),
    cacheType: 'f32',
    cells: 8192,
    threads: 1,
    keepLogits: false,
  })
  const { spec, decoding } = file
  const room = openRoom({ id: 'Model', spec, decoding, forward, openText: openNumbers, tokenText: String })
  const engine = new LocalEngine(new Map([['Model', room]]), { prefillChunk: 256 })
  after(async () => {
    await engine.stop()
    forward.close()
    await file.close()
  })
  const sampling = { temperature: 0, topP: 1, tokensMax: recorded.tokensMax }
  const replies = recorded.cases.map(({ prompt }) =>
    engine.send(localRequest({ ...sampling, decoding: { rule: 'sequential' } }), prompt),
  )
  equal(replies.length, 50)
  for (const [i, reply] of replies.entries()) {
    await reply.done
    const recordedReply = recorded.cases[i]?.reply.filter((token) => !spec.endTokens.includes(token)) ?? []
    const text = textOf(reply.events).trim()
    deepEqual(text === '' ? [] : text.split(' ').map(Number), recordedReply, `to: ${recorded.cases[i]?.question}`)
  }
})
