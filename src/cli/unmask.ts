#!/usr/bin/env node
/** The one program: `unmask COMMAND …`. Only `src/cli/` reads arguments and environment, handles signals and constructs. */
import { fileURLToPath } from 'node:url'
import { UserError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { dispatch } from './dispatch.ts'
import { openTerminal } from './terminal.ts'

const terminal = openTerminal(process.stdout, process.stderr)
// Whoever reads us may leave early (`unmask help | head -1`, a closed terminal): the work goes on, unread.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
try {
  process.exitCode = await dispatch(process.argv.slice(2), COMMANDS, {
    terminal,
    environment: process.env,
    root: fileURLToPath(new URL('../../', import.meta.url)),
    folder: process.cwd(),
  })
} catch (error) {
  const expected = error instanceof UserError
  terminal.tell(`unmask: ${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : error}`)
  process.exitCode = expected ? error.code : 1
}
// Everything was closed in order; should something still keep this process, it is not worth waiting for.
setTimeout(() => process.exit(), 1000).unref()
