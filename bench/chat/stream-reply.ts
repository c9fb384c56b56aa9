import type { Product } from '../../test/support/product.ts'

export type Usage = {
  prompt_tokens: number
  completion_tokens: number
  completion_tokens_details: { steps: number; tokens_per_step: number }
}

/** Milliseconds since the request was sent: of its first text, of every text, of its end. */
export type Reply = { firstMs: number; textMs: number[]; totalMs: number; usage: Usage }

export type Wish = {
  model: string
  prompt: string
  tokensMax: number
  seed: number
  temperature?: number
  onText?: () => void
}

/** One streamed reply. Throws where it is refused. */
export async function streamReply(product: Product, wish: Wish): Promise<Reply> {
  const textMs: number[] = []
  let totalMs = Number.NaN
  let usage: Usage | undefined
  const body = {
    model: wish.model,
    messages: [{ role: 'user', content: wish.prompt }],
    max_tokens: wish.tokensMax,
    seed: wish.seed,
    ...(wish.temperature === undefined ? {} : { temperature: wish.temperature }),
    stream_options: { include_usage: true },
  }
  const status = await product.stream(body, (data, ms) => {
    if (data === '[DONE]') return
    const chunk = JSON.parse(data) as { choices: { delta: { content: string } }[]; usage?: Usage }
    totalMs = ms
    usage = chunk.usage ?? usage
    if ((chunk.choices[0]?.delta.content ?? '') === '') return
    textMs.push(ms)
    wish.onText?.()
  })
  if (status !== 200 || usage === undefined) throw new Error(`status ${status} instead of a reply\n${product.output()}`)
  return { firstMs: textMs[0] ?? Number.NaN, textMs, totalMs, usage }
}
