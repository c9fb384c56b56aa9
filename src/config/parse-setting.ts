import type { ValueSchema } from './check-value.ts'

/**
 * A text from the environment or a flag as the value its schema expects; where it cannot be one it stays a text, which
 * the check then refuses. Lists are separated by commas (or JSON), names with values are `a=1,b=2` (or JSON).
 */
export function parseSetting(text: string, schema: ValueSchema): unknown {
  if (schema.anyOf !== undefined) return parseChoice(text, schema.anyOf)
  if (schema.enum !== undefined) return schema.enum.find((choice) => String(choice) === text) ?? text
  if (schema.const !== undefined) return String(schema.const) === text ? schema.const : text
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (schema.type === 'integer' || schema.type === 'number') return parseNumber(text)
  if (schema.type === 'array') return parseList(text, schema.items ?? {})
  if (schema.type === 'object') return parseRecord(text)
  return text
}

function parseChoice(text: string, choices: readonly ValueSchema[]): unknown {
  const values = choices.map((one) => parseSetting(text, one))
  return values.find((value) => typeof value !== 'string') ?? text
}

function parseNumber(text: string): unknown {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : text
}

function parseList(text: string, item: ValueSchema): unknown {
  if (text.trimStart().startsWith('[')) return parseJson(text)
  const parts = text.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '').map((part) => parseSetting(part, item))
}

function parseRecord(text: string): unknown {
  if (text.trimStart().startsWith('{')) return parseJson(text)
  const pairs = text.split(',').map((part) => part.trim())
  if (!pairs.every((pair) => pair.indexOf('=') > 0)) return text
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: it stays a text, and the check says what is allowed.
    return text
  }
}
