import { notAllowed, type Fields } from '../read-field.ts'

type Neutral = { allowed: string; accepts: (value: unknown) => boolean }

const only = (...values: unknown[]): Neutral => ({
  allowed: values.map((value) => JSON.stringify(value)).join(' or '),
  accepts: (value) => values.includes(value),
})
const emptyArray: Neutral = { allowed: '[]', accepts: (value) => Array.isArray(value) && value.length === 0 }
const emptyObject: Neutral = {
  allowed: '{}',
  accepts: (value) => isObject(value) && !Array.isArray(value) && Object.keys(value).length === 0,
}
const onlyNull: Neutral = { allowed: 'null', accepts: () => false }

/**
 * OpenAI fields that would change the answer and that we cannot honour: their neutral values are accepted, all others
 * refused, so that nobody believes in an effect that is not there. Fields without effect on the text are ignored.
 */
export const NEUTRAL_FIELDS: Readonly<Record<string, Neutral>> = {
  n: only(1),
  tools: emptyArray,
  tool_choice: only('none', 'auto'),
  functions: emptyArray,
  function_call: only('none', 'auto'),
  frequency_penalty: only(0),
  presence_penalty: only(0),
  logprobs: only(false),
  top_logprobs: only(0),
  logit_bias: emptyObject,
  response_format: {
    allowed: '{"type":"text"}',
    accepts: (value) => isObject(value) && 'type' in value && value.type === 'text',
  },
  modalities: {
    allowed: '["text"]',
    accepts: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  },
  audio: onlyNull,
  web_search_options: onlyNull,
}

export function requireNeutral(fields: Fields): void {
  for (const [param, neutral] of Object.entries(NEUTRAL_FIELDS)) {
    const value = fields[param] ?? undefined
    if (value === undefined || neutral.accepts(value)) continue
    throw notAllowed(param, value, `${neutral.allowed} (this server cannot honour another value)`)
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
