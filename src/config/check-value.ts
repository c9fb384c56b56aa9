/** The part of JSON Schema that declarations of settings use. TypeBox builds it; reading it here costs no second library. */
export type ValueSchema = {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly ValueSchema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  items?: ValueSchema
  patternProperties?: Record<string, ValueSchema>
  description?: string
}

/** Does `value` fit? The same answer as TypeBox's own check gives (a property test holds them equal). */
export function fits(schema: ValueSchema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => fits(one, value))
  if (schema.const !== undefined) return value === schema.const
  if (schema.enum !== undefined) return schema.enum.includes(value)
  if (schema.type === 'string') return typeof value === 'string' && fitsText(schema, value)
  if (schema.type === 'boolean') return typeof value === 'boolean'
  if (schema.type === 'integer') return Number.isInteger(value) && fitsRange(schema, Number(value))
  if (schema.type === 'number') return typeof value === 'number' && Number.isFinite(value) && fitsRange(schema, value)
  if (schema.type === 'null') return value === null
  if (schema.type === 'array') return Array.isArray(value) && fitsList(schema, value)
  if (schema.type === 'object') return isRecord(value) && fitsRecord(schema, value)
  return false
}

/** What may stand there, to end the sentence "… ; allowed: …". */
export function allowed(schema: ValueSchema): string {
  const choices = schema.enum ?? schema.anyOf?.map((one) => one.const)
  if (choices?.every((choice) => choice !== undefined) === true)
    return choices.map((choice) => String(choice)).join(', ')
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => allowed(one)).join('; or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.type === 'boolean') return 'true, false'
  if (schema.type === 'integer') return `a whole number${range(schema)}`
  if (schema.type === 'number') return `a number${range(schema)}`
  if (schema.type === 'array') return `a list, each item ${allowed(schema.items ?? {})}`
  if (schema.type === 'object') return 'names with values (name=value, …)'
  if (schema.pattern !== undefined) return `a text of the form ${schema.pattern}`
  return 'a text'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function range({ minimum, maximum }: ValueSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  return maximum === undefined ? '' : `, at most ${maximum}`
}

function fitsRange({ minimum = -Infinity, maximum = Infinity }: ValueSchema, value: number): boolean {
  return value >= minimum && value <= maximum
}

function fitsText({ minLength = 0, maxLength = Infinity, pattern }: ValueSchema, value: string): boolean {
  const length = [...value].length
  return length >= minLength && length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(value))
}

function fitsList({ minItems = 0, maxItems = Infinity, items = {} }: ValueSchema, value: unknown[]): boolean {
  return value.length >= minItems && value.length <= maxItems && value.every((item) => fits(items, item))
}

function fitsRecord(schema: ValueSchema, value: Record<string, unknown>): boolean {
  const rules = Object.entries(schema.patternProperties ?? {})
  return Object.entries(value).every(([name, member]) =>
    rules.every(([pattern, rule]) => !new RegExp(pattern).test(name) || fits(rule, member)),
  )
}
