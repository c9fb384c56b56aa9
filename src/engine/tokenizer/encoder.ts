import type { ChatTurn } from '../messages.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import { EncoderLane, sizeOf } from './encoder-lane.ts'
import { tokensAtLeast } from './prompt-encoder.ts'
import type { EncodedPrompt } from './prompt-encoder.ts'

/** Prompts of so many characters take some 10 ms; longer ones have a thread of their own, so that these never wait for them. */
const SHORT_LENGTH_MAX = 32_768

/** A prompt of 4 MiB takes some 2 s. */
const JOB_MS_MAX = 15_000

/** Conversations to token ids, off the caller's thread. */
export class Encoder {
  private readonly short: EncoderLane
  private readonly long: EncoderLane
  private readonly longestBytes = new Map<string, number>()

  constructor({ jobMsMax = JOB_MS_MAX } = {}) {
    this.short = new EncoderLane(jobMsMax)
    this.long = new EncoderLane(jobMsMax)
  }

  /** Throws WeightsError where vocabulary or template cannot be used. */
  async addModel(model: string, from: { vocabulary: Vocabulary; template: string }): Promise<void> {
    const { vocabulary, template } = from
    this.longestBytes.set(model, await this.short.addModel({ model, vocabulary, template }))
    this.long.prepareModel({ model, vocabulary, template })
  }

  /**
   * Ids of the prompt that the model's template makes of the conversation: at most `tokensMax`. Rejects with the signal's
   * reason once it aborts.
   */
  async encode(
    model: string,
    turns: readonly ChatTurn[],
    tokensMax: number,
    signal?: AbortSignal,
  ): Promise<EncodedPrompt> {
    signal?.throwIfAborted()
    const longestBytes = this.longestBytes.get(model)
    if (longestBytes === undefined) throw new RangeError(`the encoder does not know the model ${model}`)
    // A prompt that must be too long costs nobody anything.
    const tokensMin = tokensAtLeast(turns, longestBytes)
    if (tokensMin > tokensMax) return { kind: 'too_long', tokensMin }
    const lane = sizeOf({ turns }) <= SHORT_LENGTH_MAX ? this.short : this.long
    return lane.encode({ model, turns, tokensMax, signal })
  }

  async close(): Promise<void> {
    await Promise.all([this.short.close(), this.long.close()])
  }
}
