import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type, type TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { fits, type ValueSchema } from './check-value.ts'

const text = fc.record({ minLength: fc.nat(3), maxLength: fc.integer({ min: 3, max: 6 }) })
const bounds = fc.record({ minimum: fc.integer({ min: -9, max: 0 }), maximum: fc.integer({ min: 0, max: 9 }) })
const leaf: fc.Arbitrary<TSchema> = fc.oneof(
  text.map((limits) => Type.String(limits)),
  fc.constant(Type.String({ pattern: '^[a-c]+$' })),
  bounds.map((limits) => Type.Integer(limits)),
  bounds.map((limits) => Type.Number(limits)),
  fc.constant(Type.Boolean()),
  fc.constant(Type.Literal('a')),
  fc.constant(Type.Enum(['a', 'b'])),
)
const schema: fc.Arbitrary<TSchema> = fc.oneof(
  leaf,
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((choices) => Type.Union(choices)),
  leaf.map((item) => Type.Array(item, { minItems: 1, maxItems: 3 })),
  leaf.map((value) => Type.Record(Type.String(), value)),
)
const value = fc.oneof(
  fc.constantFrom('a', 'b', 'abc', '', '😀', true, false, null, -1, 0, 0.5, 4, 12, Number.NaN, Infinity),
  fc.array(fc.constantFrom('a', 'abc', 1, 0.5, true), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('a', 'abc', 1, 0.5, true)),
)

test('our check and TypeBox’s give one answer for every kind of declaration', () => {
  fc.assert(
    fc.property(schema, value, (declared, given) => {
      equal(fits(declared as ValueSchema, given), Check(declared, given))
    }),
    { numRuns: 2000 },
  )
})
