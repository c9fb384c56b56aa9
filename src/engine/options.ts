import { Type } from 'typebox'

export const engineOptions = Type.Object({
  models: Type.Record(Type.String(), Type.String(), {
    default: { Model: 'models/model.gguf', 'Model-MoE': 'models/model-moe.gguf' },
    env: 'UNMASK_ENGINE_MODELS',
    description: 'Which file answers under which model id: GGUF files, relative to the folder of the program.',
  }),
  threads: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 1, maximum: 1024 })], {
    default: 'auto',
    env: 'UNMASK_ENGINE_THREADS',
    description:
      'Threads that compute. auto: all cores but one, never more than other processes leave free, and one more while all are free and it makes steps faster. A fixed number stays, cut to the number of cores: where others take those cores, steps become very slow.',
  }),
  kernel: Type.Union([Type.Literal('auto'), Type.Literal('ggml')], {
    default: 'auto',
    env: 'UNMASK_ENGINE_KERNEL',
    description:
      'What computes products of 4- to 8-bit weights, and attention. auto: the C files of native/, compiled for this processor by `npm ci` or at the first start, where there is a C compiler and AVX2; else, or with `ggml`, ggml, which is slower (`./unmask bench kernel` measures both).',
  }),
  runningMax: Type.Integer({
    minimum: 1,
    maximum: 1024,
    default: 16,
    env: 'UNMASK_ENGINE_RUNNING_MAX',
    description: 'Requests that are computed together; more of them wait.',
  }),
  queueMax: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    default: 256,
    env: 'UNMASK_ENGINE_QUEUE_MAX',
    description: 'Requests that may wait; a further one is refused with the seconds to wait.',
  }),
  cacheTokens: Type.Union([Type.Literal('auto'), Type.Integer({ minimum: 64, maximum: 100_000_000 })], {
    default: 'auto',
    env: 'UNMASK_ENGINE_CACHE_TOKENS',
    description:
      'Tokens of all conversations together that each model keeps in memory. auto: as many as a sixteenth of the memory holds, at most 32768, but at least one whole window of the model.',
  }),
  prefillChunk: Type.Integer({
    minimum: 1,
    maximum: 4096,
    default: 128,
    env: 'UNMASK_ENGINE_PREFILL_CHUNK',
    description:
      'Prompt tokens a step at most. Where replies stream beside, a step has as many as make it four times as long as one without, so that these flow on.',
  }),
  streamIdleMs: Type.Integer({
    minimum: 1000,
    maximum: 3_600_000,
    default: 60_000,
    env: 'UNMASK_ENGINE_STREAM_IDLE_MS',
    description: 'Milliseconds after which a running stream that stands still is ended.',
  }),
})
