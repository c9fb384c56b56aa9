import { Type, type TSchema } from 'typebox'

/**
 * The wire form of chat completions: the parser reads ranges and defaults from here, and the OpenAPI document and the
 * reference page are made from it, so that none of them can say something else.
 */

/** null for an optional field is as if it were absent. */
function optional<S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

export const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const
export const STOPS_MAX = 4

/** Ranges and defaults. */
export const fields = {
  stream: {
    type: 'boolean',
    default: false,
    description: 'Send the reply as Server-Sent Events while it is being made.',
  },
  maxTokens: {
    type: 'integer',
    minimum: 1,
    maximum: 8192,
    default: 512,
    description: 'Largest number of tokens generated; the reply ends with `length` there.',
  },
  temperature: {
    type: 'number',
    minimum: 0.1,
    maximum: 1,
    default: 0.7,
    description:
      'Randomness. 0.8 and above for creative work, 0.2 and below for precise tasks. Changing one of temperature and top_p is advised.',
  },
  topP: {
    type: 'number',
    minimum: 0.1,
    maximum: 1,
    default: 0.8,
    description: 'Nucleus: only the likeliest tokens that together reach this probability are drawn from, at most 64.',
  },
  seed: {
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Same seed, same request, same model: same reply, whatever else is being served.',
  },
} as const

const textPart = Type.Object(
  { type: Type.Literal('text'), text: Type.String() },
  { description: 'A part of a message. Images and audio are refused.' },
)

const messageSchema = Type.Object({
  role: Type.Enum([...ROLES], {
    description: '`developer` is the same as `system`; `tool` is read as text.',
  }),
  content: Type.Optional(
    Type.Union([Type.String(), Type.Array(textPart, { minItems: 1 }), Type.Null()], {
      description:
        'The text, or an array of text parts (joined by line breaks). It may be null or left out only with role `assistant`.',
    }),
  ),
})

const stopSchema = Type.Union(
  [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: STOPS_MAX })],
  { description: 'A string, or up to 4, none of them empty: the reply ends before the first that appears.' },
)

export const chatRequestSchema = Type.Object({
  model: Type.String({
    minLength: 1,
    description: 'One of `GET /v1/models`: `Model`, `Model-MoE`, or one that the operator added.',
  }),
  messages: Type.Array(messageSchema, { minItems: 1, description: 'The conversation, oldest first.' }),
  stream: optional(Type.Boolean(fields.stream)),
  max_tokens: optional(Type.Integer(fields.maxTokens)),
  max_completion_tokens: optional(
    Type.Integer({
      minimum: 1,
      maximum: 8192,
      description: 'Another name for max_tokens; both with different values: 400.',
    }),
  ),
  temperature: optional(Type.Number(fields.temperature)),
  top_p: optional(Type.Number(fields.topP)),
  stop: optional(stopSchema),
  seed: optional(Type.Integer(fields.seed)),
  stream_options: optional(
    Type.Object({
      include_usage: optional(
        Type.Boolean({
          default: false,
          description: 'One more chunk before `[DONE]`, with `usage` and `choices: []`.',
        }),
      ),
    }),
  ),
  user: optional(Type.String({ description: 'Kept in the usage log (its first 256 characters), for nothing else.' })),
  diffusing: optional(
    Type.Boolean({
      default: false,
      description: 'With `stream`: each chunk tells in `diffusion` how the reply is being unmasked.',
    }),
  ),
})

const usageSchema = Type.Object({
  prompt_tokens: Type.Integer({ description: 'The prompt with its chat template.' }),
  completion_tokens: Type.Integer({ description: 'Tokens of the returned text; the end of turn is not counted.' }),
  total_tokens: Type.Integer(),
  completion_tokens_details: Type.Object({
    steps: Type.Integer({ description: 'Passes through the model that this reply took part in, the prompt included.' }),
    tokens_per_step: Type.Number({ description: 'completion_tokens divided by steps.' }),
  }),
})

const finishReason = Type.Enum(['stop', 'length'], {
  description: '`stop`: end of turn or a stop string. `length`: max_tokens, or the model’s window.',
})

export const chatCompletionSchema = Type.Object({
  id: Type.String({ description: '`chatcmpl-` and an identifier.' }),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  model: Type.String(),
  system_fingerprint: Type.String({ description: 'Changes when the weights or their decoding change.' }),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({ role: Type.Literal('assistant'), content: Type.String() }),
      finish_reason: finishReason,
    }),
  ),
  usage: usageSchema,
})

const stepMark = Type.Object({ position: Type.Integer(), text: Type.String(), probability: Type.Number() })

export const chatChunkSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  system_fingerprint: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        role: Type.Optional(Type.Literal('assistant', { description: 'In the first chunk only.' })),
        content: Type.String({ description: 'The next text; it only ever grows.' }),
      }),
      finish_reason: Type.Union([finishReason, Type.Null()], { description: 'null until the last one.' }),
    }),
    { description: 'Empty in the usage chunk.' },
  ),
  usage: Type.Optional(usageSchema),
  diffusion: Type.Optional(
    Type.Object(
      {
        step: Type.Integer(),
        set: Type.Array(stepMark, { description: 'Positions set in this step, with their text and probability.' }),
        taken_back: Type.Array(Type.Integer(), { description: 'Positions masked again.' }),
        masked: Type.Array(Type.Integer(), { description: 'Positions still masked.' }),
      },
      { description: 'Only with `diffusing`.' },
    ),
  ),
})
