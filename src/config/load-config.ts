import { JsoncError, parseJsonc } from '../lib/jsonc.ts'
import { nearestWord } from '../lib/nearest-word.ts'
import { allowed, fits, isRecord } from './check-value.ts'
import { parseSetting } from './parse-setting.ts'
import type { Config } from './sections.ts'
import { listSettings, type Setting } from './settings.ts'

/** Everything that is wrong with the settings, one sentence each. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export type ConfigSources = {
  /** The configuration file, if there is one. */
  file: { path: string; text: string } | undefined
  environment: Record<string, string | undefined>
  /** Settings named by flags, in their order: `{ name: 'api.port', text: '9443', flag: '--port' }`. */
  flags: { name: string; text: string; flag: string }[]
  /** Reads the file that a `…_FILE` variable names; throws where it cannot. */
  readSecret(path: string): string
}

type Given = { name: string; value: unknown; source: string }

/**
 * Defaults, then the file, then the environment, then flags: the later one wins. Throws one `ConfigError` that names
 * every unknown or wrong setting. `notices` are oddities that refuse nothing.
 */
export function loadConfig(sources: ConfigSources): { config: Config; notices: string[] } {
  const settings = new Map(listSettings().map((setting) => [setting.name, setting]))
  const problems: string[] = []
  const given = [
    ...fromFile(sources, settings, problems),
    ...fromEnvironment(sources, settings, problems),
    ...sources.flags.map(({ name, text, flag }) => read({ name, value: text, source: flag }, settings)),
  ]
  const values = new Map([...settings.values()].map((setting) => [setting.name, setting.default]))
  for (const one of given) {
    const setting = settings.get(one.name)
    if (setting === undefined) problems.push(unknownSetting(one, settings.keys()))
    else if (!fits(setting.schema, one.value)) problems.push(wrongValue(one, setting))
    else values.set(one.name, merged(values.get(one.name), one.value))
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { config: nest(values) as Config, notices: strayVariables(sources.environment, [...settings.values()]) }
}

/** Names with values add to those of earlier sources: who binds one more model keeps the others. */
function merged(before: unknown, value: unknown): unknown {
  return isRecord(before) && isRecord(value) ? { ...before, ...value } : value
}

function fromFile({ file }: ConfigSources, settings: Map<string, Setting>, problems: string[]): Given[] {
  if (file === undefined) return []
  try {
    const content = parseJsonc(file.text)
    if (isRecord(content)) return flatten(content, '', settings, file.path)
    problems.push(`${file.path} must hold one object of settings, like docs/unmask.example.json.`)
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error
    problems.push(`${file.path} cannot be read as JSON, line ${error.line}: ${error.message}.`)
  }
  return []
}

function flatten(
  content: Record<string, unknown>,
  prefix: string,
  settings: Map<string, Setting>,
  source: string,
): Given[] {
  return Object.entries(content).flatMap(([key, value]) => {
    const name = `${prefix}${key}`
    const inside = [...settings.keys()].some((known) => known.startsWith(`${name}.`))
    if (inside && isRecord(value)) return flatten(value, `${name}.`, settings, source)
    return [{ name, value, source }]
  })
}

function fromEnvironment(sources: ConfigSources, settings: Map<string, Setting>, problems: string[]): Given[] {
  const given: Given[] = []
  for (const { name, env } of settings.values()) {
    const text = sources.environment[env]
    const path = sources.environment[`${env}_FILE`]
    if (text !== undefined && path !== undefined)
      problems.push(`${env} and ${env}_FILE are both set: keep one of them.`)
    else if (text !== undefined) given.push(read({ name, value: text, source: env }, settings))
    else if (path !== undefined) {
      try {
        const content = sources.readSecret(path).replace(/\r?\n$/, '')
        given.push(read({ name, value: content, source: `${env}_FILE` }, settings))
      } catch (error) {
        problems.push(`${env}_FILE: ${error instanceof Error ? error.message : String(error)}.`)
      }
    }
  }
  return given
}

function read(one: Given, settings: Map<string, Setting>): Given {
  const setting = settings.get(one.name)
  return setting === undefined ? one : { ...one, value: parseSetting(String(one.value), setting.schema) }
}

function wrongValue({ name, value, source }: Given, { schema }: Setting): string {
  // A value that came from a secret's file is not repeated.
  const shown = source.endsWith('_FILE') ? 'as its file has it' : JSON.stringify(value)
  return `${name} is ${shown} (${source}); allowed: ${allowed(schema)}.`
}

function unknownSetting({ name, source }: Given, names: Iterable<string>): string {
  const near = nearestWord(name, names)
  const advice = near === undefined ? 'docs/configuration.md lists all of them' : `did you mean ${near}?`
  return `There is no setting ${name} (${source}); ${advice}${advice.endsWith('?') ? '' : '.'}`
}

/** Only a near miss is worth a word: Kubernetes sets variables like UNMASK_SERVICE_HOST beside a service of that name. */
function strayVariables(environment: Record<string, string | undefined>, settings: Setting[]): string[] {
  const known = new Set(['UNMASK_DATA', 'UNMASK_CONFIG', ...settings.map((setting) => setting.env)])
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith('UNMASK_') || known.has(name) || known.has(name.replace(/_FILE$/, ''))) return []
    const near = nearestWord(
      name.slice(7),
      [...known].map((one) => one.slice(7)),
    )
    return near === undefined ? [] : [`${name} is not a setting and is ignored; did you mean UNMASK_${near}?`]
  })
}

function nest(values: Map<string, unknown>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [name, value] of values) {
    if (value === undefined) continue
    const keys = name.split('.')
    let place = root
    for (const key of keys.slice(0, -1)) {
      const inner = place[key]
      const next = isRecord(inner) ? inner : {}
      place[key] = next
      place = next
    }
    place[keys.at(-1) ?? name] = value
  }
  return root
}
