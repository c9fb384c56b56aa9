import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nearestWord } from '../lib/nearest-word.ts'
import { UserError, WRONG_USE, type Call, type Command } from './command.ts'
import { renderTable } from './terminal.ts'

/** `bench` lists the programs of bench/; `bench NAME …` runs one of them, on this Node, with the words after its name. */
export const bench: Command = {
  action: {
    summary: 'List the benches, or run one',
    words: '[NAME [its own flags]]',
    wordsMax: 1,
    flags: {},
    notes: 'Each file of bench/ is one; "unmask bench NAME --help" shows what its first comment says.',
    examples: ['unmask bench', 'unmask bench chat'],
    passthrough: true,
    run: runBench,
  },
}

async function runBench({ words, root, terminal }: Call): Promise<number> {
  const benches = findBenches(root)
  const [name, ...rest] = words
  if (name === undefined) {
    const rows = [...benches].map(([bench, file]) => [`  ${bench}`, readPurpose(file).split('\n')[0] ?? ''])
    terminal.say(benches.size === 0 ? 'There is no bench in this installation.' : renderTable(rows))
    return 0
  }
  const file = benches.get(name)
  if (file === undefined) {
    const near = nearestWord(name, benches.keys())
    throw new UserError(
      `there is no bench ${name}${near === undefined ? '' : `; did you mean ${near}?`}\nSee: unmask bench`,
      WRONG_USE,
    )
  }
  if (rest.includes('--help')) {
    terminal.say(readPurpose(file))
    return 0
  }
  const [status] = await once(spawn(process.execPath, [file, ...rest], { stdio: 'inherit', cwd: root }), 'exit')
  return typeof status === 'number' ? status : 1
}

function findBenches(root: string): Map<string, string> {
  const folder = join(root, 'bench')
  if (!existsSync(folder)) return new Map()
  const files = globSync('*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'))
  return new Map(files.sort().map((file) => [basename(file, '.ts'), join(folder, file)]))
}

/** The first comment of the file, without its stars and without the command itself. */
function readPurpose(file: string): string {
  const comment = /\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
  return lines
    .join('\n')
    .trim()
    .replace(/^`\.\/unmask bench [\w-]+`: /, '')
}
