import { parseArgs, type ParseArgsConfig } from 'node:util'
import { nearestWord } from '../lib/nearest-word.ts'
import { UserError, WRONG_USE, type Action, type Call, type Command, type Listed } from './command.ts'
import { renderActionHelp, renderCommandHelp, renderHelp } from './help.ts'

export type Surroundings = Pick<Call, 'terminal' | 'environment' | 'root' | 'folder'>
type Commands = Record<string, Listed>

/** Finds the action that the words name and runs it; resolves with the exit status. Wrong use throws a `UserError` of status 2. */
export async function dispatch(words: string[], commands: Commands, around: Surroundings): Promise<number> {
  const [first = 'help', ...rest] = words
  if (first === 'help' && rest[0] !== undefined && !asksHelp(rest[0]))
    return dispatch([...rest, '--help'], commands, around)
  if (first === 'help' || asksHelp(first)) {
    around.terminal.say(renderHelp(commands, around.terminal))
    return 0
  }
  if (first === '--version' || first === 'version') {
    const { readVersion } = await import('./version.ts')
    around.terminal.say(readVersion(around.root))
    return 0
  }
  const listed = Object.hasOwn(commands, first) ? commands[first] : undefined
  if (listed === undefined) throw unknown('command', first, [...Object.keys(commands), 'help'], 'unmask help')
  const command = await listed.load()
  if ('action' in command) return runAction(first, command.action, rest, around)
  return runNamed({ name: first, summary: listed.summary, actions: command.actions }, rest, around)
}

type Named = Extract<Command, { actions: unknown }> & { name: string; summary: string }

async function runNamed(command: Named, words: string[], around: Surroundings): Promise<number> {
  const { name, actions } = command
  const [word, ...rest] = words
  if (word === undefined || asksHelp(word)) {
    around.terminal.say(renderCommandHelp(command, around.terminal))
    return word === undefined ? WRONG_USE : 0
  }
  const action = Object.hasOwn(actions, word) ? actions[word] : undefined
  if (action === undefined) throw unknown(`"${name}" command`, word, Object.keys(actions), `unmask ${name} --help`)
  return runAction(`${name} ${word}`, action, rest, around)
}

async function runAction(name: string, action: Action, words: string[], around: Surroundings): Promise<number> {
  // A program of its own behind the command reads its own flags, --help after its name among them.
  if (asksHelp(words[0] ?? '') || (action.passthrough !== true && words.some((word) => asksHelp(word)))) {
    around.terminal.say(renderActionHelp(name, action, around.terminal))
    return 0
  }
  const { values, positionals } =
    action.passthrough === true ? { values: {}, positionals: words } : parse(name, action, words)
  const of = (flag: string): unknown => (values as Record<string, unknown>)[flag]
  return action.run({
    ...around,
    words: positionals,
    text: (flag) => (typeof of(flag) === 'string' ? String(of(flag)) : undefined),
    texts: (flag) => [of(flag) ?? []].flat().map((text) => String(text)),
    on: (flag) => of(flag) === true,
  })
}

function parse(name: string, action: Action, words: string[]): { values: object; positionals: string[] } {
  const options: NonNullable<ParseArgsConfig['options']> = {}
  for (const [flag, { value, many }] of Object.entries(action.flags)) {
    options[flag] = { type: value === undefined ? 'boolean' : 'string', multiple: many === true }
  }
  const parsed = tryParse(name, action, words, options)
  const count = parsed.positionals.length
  const { wordsMin = 0, wordsMax = wordsMin } = action
  if (count < wordsMin || count > wordsMax) {
    const what =
      count < wordsMin
        ? `needs ${action.words?.split(' ')[0]}`
        : `does not know what to do with "${parsed.positionals[wordsMax]}"`
    throw new UserError(`${name} ${what}.\nUsage: unmask ${name} ${action.words ?? '[flags]'}`, WRONG_USE)
  }
  return parsed
}

type Options = NonNullable<ParseArgsConfig['options']>

function tryParse(name: string, action: Action, words: string[], options: Options) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const flag = /^Unknown option '(-[^']*)'/.exec(message)?.[1]
    const flags = Object.keys(action.flags).map((known) => `--${known}`)
    if (flag !== undefined) throw unknown(`flag of ${name}`, flag, [...flags, '--help'], `unmask ${name} --help`)
    throw new UserError(`${name}: ${message.split('. To ')[0]}.\nSee: unmask ${name} --help`, WRONG_USE)
  }
}

function asksHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

function unknown(kind: string, word: string, known: string[], see: string): UserError {
  const near = nearestWord(word, known)
  return new UserError(
    `there is no ${kind} ${word}${near === undefined ? '' : `; did you mean ${near}?`}\nSee: ${see}`,
    WRONG_USE,
  )
}
