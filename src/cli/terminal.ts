import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Where people read. `say` is for answers (stdout), `tell` for everything beside them (stderr). */
export type Terminal = {
  say(text: string): void
  tell(text: string): void
  /** Is stdout a terminal, so that a person reads it at once? */
  isTerminal: boolean
  /** Colours where stdout is a terminal and NO_COLOR is not set, else the text as it is. */
  paint(style: Style, text: string): string
  /** Rewrites one line on a terminal; silent elsewhere. An empty text clears it. */
  progress(text: string): void
}

export function openTerminal(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Terminal {
  return {
    say: (text) => void stdout.write(`${text}\n`),
    tell: (text) => void stderr.write(`${text}\n`),
    isTerminal: stdout.isTTY === true,
    // styleText asks the stream and NO_COLOR, FORCE_COLOR, TERM=dumb itself.
    paint: (style, text) => styleText(style, text, { stream: stdout }),
    progress: (text) => {
      if (stderr.isTTY) stderr.write(`\r\u001B[2K${text.slice(0, (stderr.columns || 80) - 1)}`)
    },
  }
}

/** Columns as wide as their widest cell, two spaces between, no space at the end. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) row.forEach((text, i) => (widths[i] = Math.max(widths[i] ?? 0, text.length)))
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
