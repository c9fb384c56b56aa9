import { sections } from './sections.ts'
import type { ValueSchema } from './check-value.ts'

/** One setting as declared, with its place: `path` in the file is `name` cut at the dots. */
export type Setting = {
  /** For instance `api.port`. */
  name: string
  env: string
  description: string
  /** Undefined where a setting may be absent. */
  default: unknown
  schema: ValueSchema
}

type Declared = ValueSchema & { properties?: Record<string, Declared>; env?: string; default?: unknown }

/** All declarations, flat, in their order. A declaration that lacks env or description is our bug and throws. */
export function listSettings(): Setting[] {
  return Object.entries(sections).flatMap(([name, section]) => flatten(name, section as Declared))
}

function flatten(name: string, declared: Declared): Setting[] {
  if (declared.properties !== undefined) {
    return Object.entries(declared.properties).flatMap(([key, inner]) => flatten(`${name}.${key}`, inner))
  }
  const { env, description } = declared
  if (env === undefined || description === undefined) throw new Error(`${name} needs env and description`)
  return [{ name, env, description, default: declared.default, schema: declared }]
}
