import { deepEqual, equal, match, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError, loadConfig, type ConfigSources } from './load-config.ts'
import { listSettings } from './settings.ts'

const NONE: ConfigSources = {
  file: undefined,
  environment: {},
  flags: [],
  readSecret: () => {
    throw new Error('no file')
  },
}
const file = (text: string): ConfigSources['file'] => ({ path: 'unmask.json', text })
const flag = (name: string, text: string) => ({ name, text, flag: '--set' })

describe('the later source wins: default, file, environment, flag', () => {
  const sources = {
    file: { file: file('{"api": {"port": 1001}}') },
    environment: { environment: { UNMASK_PORT: '1002' } },
    flag: { flags: [flag('api.port', '1003')] },
  }
  const portOf = (given: Partial<ConfigSources>): number => loadConfig({ ...NONE, ...given }).config.api.port
  test('default', () => equal(portOf({}), 8443))
  test('file', () => equal(portOf(sources.file), 1001))
  test('environment', () => equal(portOf({ ...sources.file, ...sources.environment }), 1002))
  test('flag', () => equal(portOf({ ...sources.file, ...sources.environment, ...sources.flag }), 1003))
  test('of two flags the last', () => {
    equal(portOf({ flags: [flag('api.port', '1'), flag('api.port', '2')] }), 2)
  })
})

describe('texts become what the declaration says', () => {
  const load = (environment: Record<string, string>) => loadConfig({ ...NONE, environment }).config
  test('a list by commas', () =>
    deepEqual(load({ UNMASK_NAMES: 'a.example, b.example' }).api.names, ['a.example', 'b.example']))
  test('a list as JSON', () => deepEqual(load({ UNMASK_NAMES: '["a","b"]' }).api.names, ['a', 'b']))
  test('an empty list', () => deepEqual(load({ UNMASK_NAMES: '' }).api.names, []))
  test('a choice', () => equal(load({ UNMASK_LOG_LEVEL: 'debug' }).log.level, 'debug'))
  test('a number', () => equal(load({ UNMASK_DEADLINE_S: '1.5' }).api.deadlineS, 1.5))
})

test('names with values add to those of earlier sources, and replace their own', () => {
  const given = file('{"engine": {"models": {"Mine": "a.gguf", "Model": "b.gguf"}}}')
  const environment = { UNMASK_ENGINE_MODELS: 'Mine=c.gguf' }
  const { models } = loadConfig({ ...NONE, file: given, environment }).config.engine
  deepEqual(models, { Model: 'b.gguf', 'Model-MoE': 'models/model-moe.gguf', Mine: 'c.gguf' })
})

describe('what is wrong is named with its value, its source and what is allowed', () => {
  const problems = (given: Partial<ConfigSources>): string => {
    try {
      loadConfig({ ...NONE, ...given })
    } catch (error) {
      if (error instanceof ConfigError) return error.message
      throw error
    }
    return ''
  }
  const cases: [what: string, given: Partial<ConfigSources>, told: RegExp][] = [
    [
      'a word for a number',
      { environment: { UNMASK_PORT: 'abc' } },
      /^api\.port is "abc" \(UNMASK_PORT\); allowed: a whole number from 0 to 65535\.$/,
    ],
    ['out of range', { flags: [flag('api.port', '70000')] }, /^api\.port is 70000 \(--set\); allowed: .* to 65535\.$/],
    [
      'an unknown name',
      { file: file('{"api": {"prot": 1}}') },
      /^There is no setting api\.prot \(unmask\.json\); did you mean api\.port\?$/,
    ],
    ['an unknown section', { file: file('{"apy": {"port": 1}}') }, /^There is no setting apy /],
    ['a name far from all', { flags: [flag('zzz', '1')] }, /docs\/configuration\.md lists all of them\.$/],
    ['a wrong choice', { environment: { UNMASK_LOG_LEVEL: 'loud' } }, /allowed: debug, info, warn, error\.$/],
    ['a fault in the file', { file: file('{\n"api": {"port" 1}}') }, /^unmask\.json cannot be read as JSON, line 2: /],
    ['a file that is no object', { file: file('[]') }, /must hold one object of settings/],
    ['a section that is no object', { file: file('{"api": 3}') }, /^There is no setting api /],
    ['a prototype as a name', { file: file('{"__proto__": {"port": 1}}') }, /^There is no setting __proto__/],
    ['variable and file at once', { environment: { UNMASK_PORT: '1', UNMASK_PORT_FILE: 'x' } }, /keep one of them\.$/],
    [
      'a file of a secret that is not there',
      { environment: { UNMASK_PORT_FILE: 'x' } },
      /^UNMASK_PORT_FILE: no file\.$/,
    ],
  ]
  for (const [what, given, told] of cases) test(what, () => match(problems(given), told))

  test('all at once', () => {
    equal(
      problems({ environment: { UNMASK_PORT: 'a', UNMASK_HOST_FILE: 'x' }, flags: [flag('b', 'c')] }).split('\n')
        .length,
      3,
    )
  })
  test('a value from the file of a secret is not repeated', () => {
    const told = problems({ environment: { UNMASK_PORT_FILE: 'x' }, readSecret: () => 'hunter2' })
    ok(!told.includes('hunter2') && told.includes('UNMASK_PORT_FILE'))
  })
})

test('a secret may come from a file; the line end does not belong to it', () => {
  const { config } = loadConfig({
    ...NONE,
    environment: { UNMASK_HOST_FILE: '/run/host' },
    readSecret: (path) => `${path}!\n`,
  })
  equal(config.api.host, '/run/host!')
})

describe('a variable that is nobody’s is told only when it looks like a slip', () => {
  const notices = (name: string): string[] => loadConfig({ ...NONE, environment: { [name]: '1' } }).notices
  test('near one of ours', () => match(notices('UNMASK_PROT')[0] ?? '', /did you mean UNMASK_PORT\?/))
  test('what Kubernetes sets', () => deepEqual(notices('UNMASK_SERVICE_PORT_HTTPS'), []))
  test('ours', () => deepEqual(notices('UNMASK_DATA'), []))
})

test('every default is allowed by its own declaration, and no variable has two settings', () => {
  const { config } = loadConfig(NONE)
  ok(config.api.port > 0)
  for (const { name, default: value } of listSettings()) {
    if (value !== undefined) loadConfig({ ...NONE, file: file(JSON.stringify(nest(name, value))) })
  }
  const variables = listSettings().map((setting) => setting.env)
  equal(new Set(variables).size, variables.length)
  ok(variables.every((name) => /^UNMASK_[A-Z0-9_]+$/.test(name) && !name.endsWith('_FILE_FILE')))
})

test('the example file loads and changes nothing', async () => {
  const { renderConfigDocs } = await import('../../scripts/config-docs.ts')
  const text = renderConfigDocs()['docs/unmask.example.json'] ?? ''
  deepEqual(loadConfig({ ...NONE, file: file(text) }).config, loadConfig(NONE).config)
  throws(() => loadConfig({ ...NONE, file: file(text.replace('"port"', '"prot"')) }), ConfigError)
})

function nest(name: string, value: unknown): unknown {
  return name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
}
