/** A worker thread that renders and encodes prompts, one at a time, in the order they come. Started by `encoder.ts`. */
import { parentPort } from 'node:worker_threads'
import type { FromThread, ToThread } from './encoder-messages.ts'
import { PromptEncoder } from './prompt-encoder.ts'

const encoders = new Map<string, PromptEncoder>()

parentPort?.on('message', (message: ToThread) => {
  parentPort?.postMessage(message.kind === 'model' ? addModel(message) : encode(message))
})

function addModel({ model, vocabulary, template }: ToThread & { kind: 'model' }): FromThread {
  try {
    const encoder = new PromptEncoder(vocabulary, template)
    // Makes the tables now: the first request should not wait for them.
    encoder.tokenizer.encode('warm up')
    encoders.set(model, encoder)
    return { kind: 'ready', model, longestBytes: encoder.tokenizer.longestBytes }
  } catch (error) {
    return { kind: 'unusable', model, reason: error instanceof Error ? error.message : String(error) }
  }
}

function encode({ job, model, turns, tokensMax }: ToThread & { kind: 'encode' }): FromThread {
  const encoder = encoders.get(model)
  if (encoder === undefined) return { kind: 'encoded', job, prompt: { kind: 'refused', reason: `no model ${model}` } }
  return { kind: 'encoded', job, prompt: encoder.encode(turns, tokensMax) }
}
