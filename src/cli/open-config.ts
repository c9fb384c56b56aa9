import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { ConfigError, loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/sections.ts'
import { UserError, WRONG_USE, type Call, type Flag } from './command.ts'

/** Flags of every command that works on a data folder. */
export const PLACE_FLAGS: Record<string, Flag> = {
  data: { value: 'DIR', help: 'Data folder (UNMASK_DATA; default ./data)' },
  config: { value: 'FILE', help: 'Configuration file (UNMASK_CONFIG; default unmask.json in the data folder)' },
  set: { value: 'NAME=VALUE', many: true, help: 'Any setting of docs/configuration.md, e.g. --set log.level=debug' },
}

export type Place = { config: Config; dataFolder: string; notices: string[] }

/**
 * Where the data is and what the settings are: defaults < file < environment < `--set` < `short` (flag → setting, e.g.
 * `{ port: 'api.port' }`). Wrong settings are a `UserError` that names each of them.
 */
export function openConfig(call: Call, short: Record<string, string> = {}): Place {
  const from = (path: string): string => (isAbsolute(path) ? path : resolve(call.folder, path))
  const dataFolder = from(call.text('data') ?? call.environment['UNMASK_DATA'] ?? 'data')
  const named = call.text('config') ?? call.environment['UNMASK_CONFIG']
  const path = named === undefined ? join(dataFolder, 'unmask.json') : from(named)
  if (named !== undefined && !existsSync(path))
    throw new UserError(`there is no configuration file ${path}.`, WRONG_USE)
  try {
    const file = existsSync(path) ? { path, text: readFileSync(path, 'utf8') } : undefined
    const flags = [...setFlags(call), ...shortFlags(call, short)]
    const readSecret = (secret: string): string => readFileSync(from(secret), 'utf8')
    return { ...loadConfig({ file, environment: call.environment, flags, readSecret }), dataFolder }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lead = error.problems.length === 1 ? '' : `${error.problems.length} settings are wrong:\n  `
    throw new UserError(`${lead}${error.problems.join('\n  ')}`, WRONG_USE)
  }
}

function setFlags(call: Call): { name: string; text: string; flag: string }[] {
  return call.texts('set').map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1)
      throw new UserError(`--set ${pair} must have the form NAME=VALUE, e.g. --set log.level=debug.`, WRONG_USE)
    return { name: pair.slice(0, at), text: pair.slice(at + 1), flag: `--set` }
  })
}

function shortFlags(call: Call, short: Record<string, string>): { name: string; text: string; flag: string }[] {
  return Object.entries(short).flatMap(([flag, name]) => {
    const text = call.text(flag)
    return text === undefined ? [] : [{ name, text, flag: `--${flag}` }]
  })
}
