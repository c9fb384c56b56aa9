import { escape, prose } from './page.ts'

/** A JSON schema as far as the reference shows it. */
export type Schema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

type Field = {
  name: string
  kind: string
  needed: boolean
  range: string
  fallback: string
  description: string
}

/** Every field of a schema, inner ones with their path: `choices[].delta.content`. */
function listFields(schema: Schema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = prefix + key
    const chosen = alternatives(property)
    const field: Field = {
      name,
      kind: chosen.map(kindOf).join(' or '),
      needed: schema.required?.includes(key) ?? false,
      range: chosen.map(rangeOf).find((range) => range !== '') ?? '',
      fallback:
        chosen.map((one) => ('default' in one ? JSON.stringify(one.default) : '')).find((one) => one !== '') ?? '',
      description: describe(property),
    }
    return [field].concat(chosen.flatMap((one) => innerFields(one, name)))
  })
}

/** HTML of a field list. `input`: tell which are needed. */
export function renderFields(schema: Schema, input: boolean): string {
  const rows = listFields(schema).map((field) => {
    const facts = [field.kind, field.range, field.fallback === '' ? '' : `default ${field.fallback}`]
    const needed = input && field.needed ? ' <span class="tag needed">required</span>' : ''
    return `<div><dt><code>${escape(field.name)}</code> <span class="kind">${prose(facts.filter((fact) => fact !== '').join(' · '))}</span>${needed}</dt><dd>${prose(field.description)}</dd></div>`
  })
  return `<dl class="fields">${rows.join('\n')}</dl>`
}

/** A description may stand on the schema or on what its union is made of. */
function describe(schema: Schema): string {
  return schema.description ?? (schema.anyOf ?? []).map(describe).find((text) => text !== '') ?? ''
}

function innerFields(schema: Schema, name: string): Field[] {
  if (schema.items === undefined) return listFields(schema, `${name}.`)
  return alternatives(schema.items).flatMap((one) => listFields(one, `${name}[].`))
}

/** null beside another type only says that the field may be left out. */
function alternatives(schema: Schema): Schema[] {
  if (schema.anyOf === undefined) return [schema]
  const flat = schema.anyOf.flatMap(alternatives)
  return flat.filter((one) => one.type !== 'null')
}

function kindOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(', ')
  if (schema.items !== undefined)
    return `array of ${alternatives(schema.items)
      .map((one) => plural(kindOf(one)))
      .join(' or ')}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

function plural(kind: string): string {
  return /^[a-z]+$/.test(kind) ? `${kind}s` : kind
}

function rangeOf(schema: Schema): string {
  if (isBound(schema.minimum) && isBound(schema.maximum)) return `${schema.minimum} to ${schema.maximum}`
  if (schema.maxItems !== undefined) return `at most ${schema.maxItems}`
  if (schema.minItems !== undefined) return `at least ${schema.minItems}`
  return ''
}

/** The ends of what a double holds exactly are no range worth showing. */
function isBound(value: number | undefined): boolean {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
}
