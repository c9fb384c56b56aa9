import type { ChatTurn } from '../../engine/messages.ts'
import { isFields, notAllowed, readBoolean, readRange, type Fields } from '../read-field.ts'
import { readJsonObject, requireText } from '../read-json.ts'
import { requireNeutral } from './neutral-fields.ts'
import { parseMessages } from './parse-messages.ts'
import { fields, STOPS_MAX } from './schema.ts'

/** A chat request behind the parser: wire names end here, and nothing later checks types again. */
export type ChatRequest = {
  model: string
  turns: ChatTurn[]
  stream: boolean
  tokensMax: number
  temperature: number
  topP: number
  stop: string[]
  /** Undefined: any. */
  seed: number | undefined
  includeUsage: boolean
  user: string | undefined
  wantsSteps: boolean
  /** Values that were moved into their range, as `x-adjusted-params` tells them. */
  adjusted: string[]
}

export type ParseRules = { outOfRangeSampling: 'reject' | 'clamp' }

/** Throws an ApiError 400 that names the field, the value and what is allowed. */
export function parseChatRequest(body: Buffer, rules: ParseRules): ChatRequest {
  const wire = readJsonObject(body)
  requireNeutral(wire)
  const adjusted: string[] = []
  const stream = readBoolean(wire, 'stream') ?? fields.stream.default
  return {
    model: parseModel(wire['model']),
    turns: parseMessages(wire['messages']),
    stream,
    tokensMax: parseTokensMax(wire),
    temperature: parseSampling(wire, 'temperature', fields.temperature, rules, adjusted),
    topP: parseSampling(wire, 'top_p', fields.topP, rules, adjusted),
    stop: parseStop(wire['stop']),
    seed: readRange(wire, 'seed', fields.seed),
    includeUsage: parseIncludeUsage(wire['stream_options']),
    user: parseUser(wire['user']),
    wantsSteps: (readBoolean(wire, 'diffusing') ?? false) && stream,
    adjusted,
  }
}

function parseModel(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw notAllowed('model', value ?? undefined, 'the id of a model, as GET /v1/models lists them')
}

function parseTokensMax(wire: Fields): number {
  const first = readRange(wire, 'max_tokens', fields.maxTokens)
  const second = readRange(wire, 'max_completion_tokens', fields.maxTokens)
  if (first !== undefined && second !== undefined && first !== second) {
    throw notAllowed('max_completion_tokens', second, `the same as max_tokens (${first}), or only one of the two`)
  }
  return first ?? second ?? fields.maxTokens.default
}

type Sampling = { type: 'number'; minimum: number; maximum: number; default: number }

function parseSampling(wire: Fields, param: string, range: Sampling, rules: ParseRules, adjusted: string[]): number {
  const value = wire[param]
  if (rules.outOfRangeSampling === 'clamp' && typeof value === 'number' && value >= 0 && value <= 2) {
    const clamped = Math.min(Math.max(value, range.minimum), range.maximum)
    if (clamped !== value) adjusted.push(`${param}=${clamped}`)
    return clamped
  }
  return readRange(wire, param, range) ?? range.default
}

function parseStop(value: unknown): string[] {
  const stop = value ?? []
  const list: unknown[] = Array.isArray(stop) ? stop : [stop]
  const allowed = `a non-empty string, or an array of up to ${STOPS_MAX} of them`
  if (list.length > STOPS_MAX) throw notAllowed('stop', value, allowed)
  return list.map((text) => {
    if (typeof text !== 'string' || text === '') throw notAllowed('stop', text, allowed)
    requireText(text, 'stop')
    return text
  })
}

function parseIncludeUsage(options: unknown): boolean {
  if ((options ?? undefined) === undefined) return false
  if (!isFields(options)) throw notAllowed('stream_options', options, 'an object with include_usage')
  return readBoolean(options, 'include_usage', 'stream_options.include_usage') ?? false
}

function parseUser(value: unknown): string | undefined {
  const user = value ?? undefined
  if (user === undefined) return undefined
  if (typeof user !== 'string') throw notAllowed('user', user, 'a string')
  requireText(user, 'user')
  return user
}
