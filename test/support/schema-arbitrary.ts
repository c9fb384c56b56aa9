import fc from 'fast-check'

/** A JSON schema as far as our OpenAPI document uses it. */
export type JsonSchema = {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  minItems?: number
  maxItems?: number
}

/** Values that a schema allows, its edges among them. */
export function validOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(validOf))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const { minimum: min = -1e6, maximum: max = 1e6 } = schema
  switch (schema.type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.oneof(
        fc.constantFrom(min, max),
        fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) }),
      )
    case 'number':
      return fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }))
    case 'string':
      return fc.string({ unit: 'grapheme', minLength: schema.minLength ?? 0, maxLength: 20 })
    case 'array':
      return fc.array(validOf(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      })
    case 'object':
      return validObject(schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function validObject(schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, validOf(inner)]),
  )
  return fc.record(fields, { requiredKeys: schema.required ?? [] })
}

/** A valid value with a few of its fields replaced, at any depth, by anything JSON can say. */
export function nearlyValidOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc
    .tuple(validOf(schema), fc.array(fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 3 })), { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => {
      const root: Owner = { value: structuredClone(value) }
      for (const [place, replacement] of changes) {
        const slots = slotsOf(root)
        const [owner, key] = slots[place % slots.length] ?? [root, 'value']
        owner[key] = replacement
      }
      return root['value']
    })
}

type Owner = Record<string, unknown>

function slotsOf(owner: Owner): [owner: Owner, key: string][] {
  return Object.keys(owner).flatMap((key) => {
    const inner = owner[key]
    const own: [Owner, string] = [owner, key]
    return typeof inner === 'object' && inner !== null ? [own].concat(slotsOf(inner as Owner)) : [own]
  })
}
