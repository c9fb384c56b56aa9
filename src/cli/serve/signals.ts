import { closeSync, openSync } from 'node:fs'

export type Handlers = {
  /** Once. */
  stop(signal: NodeJS.Signals): void
  reload(): void
}

/** A second signal of the kind that stops means: at once. 128 + the signal's number, as shells count. */
const AT_ONCE = { SIGINT: 130, SIGTERM: 143 } as const

/** SIGTERM and SIGINT stop, a second one ends the process at once; SIGHUP reloads, unless it says that the terminal closed. */
export function onSignals(target: NodeJS.Process, { stop, reload }: Handlers): void {
  let stopping = false
  const end = (signal: keyof typeof AT_ONCE): void => {
    if (stopping) return void target.exit(AT_ONCE[signal])
    stopping = true
    stop(signal)
  }
  target.on('SIGTERM', () => end('SIGTERM'))
  target.on('SIGINT', () => end('SIGINT'))
  target.on('SIGHUP', () => (target.stdout.isTTY && !hasTerminal() ? end('SIGTERM') : reload()))
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    // ENXIO: the terminal that this process was started from is gone.
    return false
  }
}
