import type { ChildProcess } from 'node:child_process'
import { flushCompileCache } from 'node:module'
import type { Config } from '../config/sections.ts'
import { listSettings } from '../config/settings.ts'
import type { Log } from '../lib/log.ts'
import type { Call, Command } from './command.ts'
import { openConfig, PLACE_FLAGS } from './open-config.ts'
import { openLog } from './open-log.ts'
import { removeReadyFile } from './ready-file.ts'
import { announce, sinceStart } from './serve/announce.ts'
import { claimFolder } from './serve/claim-folder.ts'
import { crawlManual } from './serve/crawl-manual.ts'
import { onSignals } from './serve/signals.ts'
import { startParts, type Parts } from './serve/start.ts'
import { stopParts } from './serve/stop.ts'
import { hostWarnings, privatePagesWarning } from './serve/host-warnings.ts'
import { readVersion } from './version.ts'

/** Whatever hangs, the process is gone 10 s after the first SIGTERM. */
const END_MS = 9700

export const serve: Command = {
  action: {
    summary: 'Serve the API until SIGTERM or Ctrl+C',
    flags: {
      host: { value: 'ADDRESS', help: 'Address to listen on (default 127.0.0.1)' },
      port: { value: 'N', help: 'HTTPS port; 0 lets the system choose (default 8443)' },
      log: { value: 'WHERE', help: 'file (logs/unmask.log in the data folder) or stderr' },
      join: { help: 'A further process on the same data folder: own engine, own port (default: the system chooses)' },
      json: { help: 'When ready, one line of JSON on stdout instead of the screen for people' },
      ...PLACE_FLAGS,
    },
    notes:
      'When it can answer, ready.json in the data folder tells where. SIGTERM and Ctrl+C let running replies end and stop\n' +
      'within 10 s, a second one stops at once; SIGHUP reads the TLS files again. All settings: docs/configuration.md.',
    examples: [
      'unmask serve',
      'unmask serve --data /srv/unmask --host 0.0.0.0 --set api.names=chat.example.org',
      'unmask serve --join --port 8444',
    ],
    run: runServe,
  },
}

async function runServe(call: Call): Promise<number> {
  process.umask(0o077)
  const joined = call.on('join')
  const place = openConfig(call, { host: 'api.host', port: 'api.port', log: 'log.to' })
  if (joined) keepToItself(place.config, call)
  for (const notice of [...place.notices, ...hostWarnings(place.config.api)]) call.terminal.tell(`unmask: ${notice}`)
  const lock = await claimFolder(place.dataFolder, joined, call)
  const log = openLog(place.dataFolder, place.config.log, process.stderr)
  process.on('uncaughtExceptionMonitor', (error) => log.error('crashed', { error: error.stack ?? String(error) }))
  const stopping = Promise.withResolvers<NodeJS.Signals>()
  let parts: Parts | undefined
  const stop = (signal: NodeJS.Signals): void => {
    // Nothing runs that could be left half done, and a large model may load for minutes: there is nothing to wait for.
    if (parts === undefined) process.exit(0)
    stopping.resolve(signal)
  }
  onSignals(process, { stop, reload: () => void parts?.server.reload() })
  try {
    call.terminal.progress('Loading the models …')
    const version = readVersion(call.root)
    parts = await startParts({
      config: place.config,
      dataFolder: place.dataFolder,
      root: call.root,
      version,
      log,
    })
    await announce({ call, dataFolder: place.dataFolder, parts, joined, version })
    const warning = privatePagesWarning(place.config.api, parts.search.stats().privatePages)
    if (warning !== undefined) call.terminal.tell(`unmask: ${warning}`)
    log.info('ready', { baseUrl: parts.listening.baseUrl, ms: sinceStart(), joined })
    flushCompileCache()
    const crawling = joined ? undefined : startManual(call, place.dataFolder, parts, log)
    const signal = await stopping.promise
    setTimeout(() => process.exit(1), END_MS).unref()
    if (!joined) removeReadyFile(place.dataFolder)
    log.info('stopping', { signal })
    crawling?.kill('SIGKILL')
    call.terminal.progress('Stopping: running replies may end …')
    await stopParts(parts, log)
    return 0
  } finally {
    call.terminal.progress('')
    log.close()
    lock?.release()
  }
}

/** The manual is searched in like everything else, once the crawler has fetched it from here. */
function startManual(call: Call, dataFolder: string, parts: Parts, log: Log): ChildProcess | undefined {
  const { listening, search } = parts
  return crawlManual({ call, dataFolder, baseUrl: listening.baseUrl, search, log })
}

const OWN = new Set(['api.port', 'api.metricsPort', 'api.plainHttpPort', 'api.unixSocket'])

/**
 * A joined process shares the folder's settings, but no port and no socket: of these only what its own flags or
 * environment name counts; the port is else the system's choice, the others are off.
 */
function keepToItself({ api }: Config, call: Call): void {
  const set = new Set(call.texts('set').map((pair) => pair.split('=')[0]))
  const told = listSettings().filter(({ name, env }) => set.has(name) || call.environment[env] !== undefined)
  const named = new Set(told.map(({ name }) => name).filter((name) => OWN.has(name)))
  if (call.text('port') === undefined && !named.has('api.port')) api.port = 0
  if (!named.has('api.metricsPort')) api.metricsPort = 0
  if (!named.has('api.plainHttpPort')) api.plainHttpPort = 0
  if (!named.has('api.unixSocket')) api.unixSocket = ''
}
