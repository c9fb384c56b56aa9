import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { WritableType } from '../engine/weights/encode.ts'
import { WeightsError } from '../engine/weights/errors.ts'
import { UserError, WRONG_USE, type Call, type Command } from './command.ts'
import { modelPath } from './model-path.ts'
import { openConfig, PLACE_FLAGS } from './open-config.ts'
import { renderTable } from './terminal.ts'

const JSON_FLAG = { json: { help: 'The outcome as JSON' } }

export const models: Command = {
  actions: {
    list: {
      summary: 'List the bound models with size, licence, figures and files',
      flags: { ...JSON_FLAG, ...PLACE_FLAGS },
      notes:
        'The setting engine.models binds ids to files: --set engine.models=Model=/srv/a.gguf,Model-MoE=/srv/b.gguf',
      examples: ['unmask models list', 'unmask models list --json'],
      run: listModels,
    },
    inspect: {
      summary: 'Show what a model file holds: architecture, ids, sizes, memory needed',
      words: 'FILE|ID [flags]',
      wordsMin: 1,
      flags: { ...JSON_FLAG, ...PLACE_FLAGS },
      examples: ['unmask models inspect models/model.gguf', 'unmask models inspect Model --json'],
      run: inspectModelFile,
    },
    random: {
      summary: 'Write random weights of a known shape, for tests and benches',
      words: 'FILE --like SHAPE [flags]',
      wordsMin: 0,
      wordsMax: 1,
      flags: {
        like: { value: 'SHAPE', help: 'Which shape; without it the known ones are listed' },
        seed: { value: 'N', help: 'The same seed gives the same bytes (default 0)' },
        type: { value: 'TYPE', help: 'Type of the matrices, e.g. F32, F16, Q8_0 (default: the shape’s own)' },
        'separate-base': { help: 'Write STEM-base.gguf and additions that name it, as the bundled pair is made' },
        force: { help: 'Replace a file that is there' },
      },
      examples: [
        'unmask models random',
        'unmask models random /tmp/tiny.gguf --like tiny-dense',
        'unmask models random /tmp/c.gguf --like tiny-causal --seed 7',
      ],
      run: writeRandom,
    },
  },
}

async function listModels(call: Call): Promise<number> {
  const { config } = openConfig(call)
  const rows = await Promise.all(
    Object.entries(config.engine.models).map(async ([id, bound]) => describe(id, modelPath(call.root, bound))),
  )
  if (call.on('json')) call.terminal.say(JSON.stringify(rows, null, 2))
  else call.terminal.say(renderTable([HEAD, ...rows.map((row) => toRow(row))]))
  return rows.some((row) => row.problem !== undefined) ? 1 : 0
}

/** What the file's makers measured, as far as the list shows it: tokens a forward of its rule, by window and threshold. */
type Figures = { verifiedTokensPerForward?: Record<string, Record<string, number>> }
type Bound = { id: string; file: string } & (
  | { problem: string }
  | {
      problem?: undefined
      name: string
      license: string
      attention: string
      parameters: number
      /** Of the file and, where it has one, its base. */
      bytes: number
      contextTokens: number
      rule: string
      /** Of its rule, where its makers told it. */
      tokensPerForward?: number
      figures?: Readonly<Record<string, unknown>>
    }
)

const HEAD = ['ID', 'NAME', 'PARAMETERS', 'SIZE', 'LICENCE', 'ATTENTION', 'CONTEXT', 'RULE', 'TOKENS A FORWARD', 'FILE']

async function describe(id: string, file: string): Promise<Bound> {
  if (!existsSync(file)) return { id, file, problem: 'missing' }
  try {
    const { ModelFile } = await import('../engine/weights/model-file.ts')
    const model = await ModelFile.open(file)
    const { card, figures } = model
    await model.close()
    const { name, license, attention, parameters, fileBytes: bytes, contextTokens, decoding } = card
    const { rule, window, threshold } = decoding
    const tokensPerForward = (figures as Figures | undefined)?.verifiedTokensPerForward?.[window]?.[threshold]
    return {
      id,
      file,
      name,
      license,
      attention,
      parameters,
      bytes,
      contextTokens,
      rule,
      ...(rule === 'verified' && typeof tokensPerForward === 'number' ? { tokensPerForward } : {}),
      ...(figures === undefined ? {} : { figures }),
    }
  } catch (error) {
    if (!(error instanceof WeightsError)) throw error
    return { id, file, problem: error.message }
  }
}

function toRow(bound: Bound): string[] {
  const { id, file } = bound
  if (bound.problem !== undefined) {
    return [id, `cannot be used: ${bound.problem}`, ...HEAD.slice(3).map(() => ''), file]
  }
  const { name, parameters, bytes, license, attention, contextTokens, rule, tokensPerForward } = bound
  const size = [`${(parameters / 1e6).toFixed(0)} M`, `${(bytes / 1e6).toFixed(0)} MB`]
  const told = tokensPerForward === undefined ? '' : tokensPerForward.toFixed(2)
  return [id, name, ...size, license, attention, String(contextTokens), rule, told, file]
}

async function inspectModelFile(call: Call): Promise<number> {
  const word = call.words[0] ?? ''
  const here = resolve(call.folder, word)
  const bound = openConfig(call).config.engine.models[word]
  const file = !existsSync(here) && bound !== undefined ? modelPath(call.root, bound) : here
  if (!existsSync(file))
    throw new UserError(`there is no file ${file}, and no bound model of that name. See: unmask models list`)
  const { inspectModel, renderInspection } = await import('../engine/weights/inspect.ts')
  const inspection = await weightsOrTell(inspectModel(file))
  call.terminal.say(call.on('json') ? JSON.stringify(inspection, null, 2) : renderInspection(inspection))
  return 0
}

async function writeRandom(call: Call): Promise<number> {
  const { RANDOM_SHAPES, writeRandomModel } = await import('../engine/weights/random.ts')
  const like = call.text('like')
  const shapes = renderTable(RANDOM_SHAPES.map(({ name, about }) => [`  ${name}`, about]))
  const word = call.words[0]
  if (like === undefined || word === undefined) {
    const [say, status] =
      word === undefined && like === undefined ? [call.terminal.say, 0] : [call.terminal.tell, WRONG_USE]
    say(`Name a file and a shape: unmask models random FILE --like SHAPE\nThe shapes:\n${shapes}`)
    return status
  }
  const file = resolve(call.folder, word)
  if (existsSync(file) && !call.on('force')) throw new UserError(`${file} exists. Add --force to replace it.`)
  const seed = Number(call.text('seed') ?? '0')
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new UserError(`--seed is ${call.text('seed')}; allowed: a whole number from 0.`, WRONG_USE)
  const type = call.text('type')
  const progress = (written: number, all: number): void =>
    call.terminal.progress(
      `Writing ${basename(file)}: ${Math.floor((100 * written) / all)}% of ${Math.ceil(all / 2 ** 20)} MiB`,
    )
  const separateBase = call.on('separate-base')
  const wish = {
    like,
    seed,
    separateBase,
    onProgress: progress,
    ...(type === undefined ? {} : { type: await checkType(type) }),
  }
  await weightsOrTell(writeRandomModel(file, wish)).finally(() => call.terminal.progress(''))
  call.terminal.say(`Wrote ${file}, ${statSync(file).size} bytes.`)
  return 0
}

async function checkType(type: string): Promise<WritableType> {
  const { isWritable, WRITABLE_TYPES } = await import('../engine/weights/encode.ts')
  if (isWritable(type)) return type
  throw new UserError(`--type is ${type}; allowed: ${WRITABLE_TYPES.join(', ')}.`, WRONG_USE)
}

async function weightsOrTell<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    throw error instanceof WeightsError ? new UserError(error.message) : error
  }
}
