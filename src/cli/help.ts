import type { Action, Listed } from './command.ts'
import { renderTable, type Terminal } from './terminal.ts'

export function renderHelp(commands: Record<string, Listed>, terminal: Terminal): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [`  ${name}`, summary])
  return [
    `${terminal.paint('bold', 'Unmask')}: chat completions from mask-diffusion language models, served from this machine.`,
    '',
    'Usage: unmask COMMAND [flags]',
    '',
    renderTable([...rows, ['  help', 'This page; "unmask help COMMAND" tells more about one']]),
    '',
    'Examples:',
    '  unmask serve                        start, as npm start does',
    '  unmask keys create --name laptop    a key for a client',
    '  unmask doctor                       is everything in place?',
    '',
    'Settings: docs/configuration.md. Colours are off where NO_COLOR is set.',
  ].join('\n')
}

type Named = { name: string; summary: string; actions: Record<string, Action> }

export function renderCommandHelp({ name, summary, actions }: Named, terminal: Terminal): string {
  const rows = Object.entries(actions).map(([word, action]) => [`  ${word}`, action.summary])
  const examples = Object.values(actions).flatMap((action) => action.examples.slice(0, 1))
  return [
    `${terminal.paint('bold', `unmask ${name}`)}: ${summary}.`,
    '',
    `Usage: unmask ${name} ${Object.keys(actions).join('|')} [flags]`,
    '',
    renderTable(rows),
    '',
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
    `"unmask ${name} ACTION --help" tells more about one.`,
  ].join('\n')
}

export function renderActionHelp(name: string, action: Action, terminal: Terminal): string {
  const flags = Object.entries({ ...action.flags, help: { help: 'This page' } })
  const rows = flags.map(([flag, { help, ...rest }]) => [`  --${flag}${'value' in rest ? ` ${rest.value}` : ''}`, help])
  return [
    `${terminal.paint('bold', `unmask ${name}`)}: ${action.summary}.`,
    '',
    `Usage: unmask ${name} ${action.words ?? '[flags]'}`,
    '',
    renderTable(rows),
    ...(action.notes === undefined ? [] : ['', action.notes]),
    '',
    'Examples:',
    ...action.examples.map((example) => `  ${example}`),
  ].join('\n')
}
