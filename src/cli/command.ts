import type { Terminal } from './terminal.ts'

/** One flag of a command. `value` names what follows it in the help; a flag without one is a switch. */
export type Flag = { help: string; value?: string; many?: boolean }

export type Action = {
  /** What it does, in one line without a full stop. */
  summary: string
  /** What follows the command in the usage line, e.g. `ID [flags]`; empty where nothing does. */
  words?: string
  /** How many words must and may follow; default none. */
  wordsMin?: number
  wordsMax?: number
  flags: Record<string, Flag>
  examples: string[]
  /** Longer explanation under the flags, if the summary is not enough. */
  notes?: string
  /** Everything after the action is handed over as it is, flags included: for programs of their own behind a command. */
  passthrough?: boolean
  run(call: Call): Promise<number>
}

/** A command is one action, or several that are named by its first word. */
export type Command = { actions: Record<string, Action> } | { action: Action }

/** A command as the list of all shows it; its file is loaded only when it is called. */
export type Listed = { summary: string; load(): Promise<Command> }

/** What an action was called with. Flags are checked: an unknown one never comes here. */
export type Call = {
  words: string[]
  /** Undefined where the flag was not given. */
  text(flag: string): string | undefined
  texts(flag: string): string[]
  on(flag: string): boolean
  terminal: Terminal
  environment: Record<string, string | undefined>
  /** The installation's folder: models, documentation and benches lie there. */
  root: string
  /** Where the user stands: relative paths of flags begin here. */
  folder: string
}

/** Wrong use or a state that the user can mend: told as it is, without a stack; ends the process with `code`. */
export class UserError extends Error {
  readonly code: number
  constructor(message: string, code = 1) {
    super(message)
    this.code = code
  }
}

/** Exit status of wrong use. */
export const WRONG_USE = 2
