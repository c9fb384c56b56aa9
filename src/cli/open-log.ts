import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { LogOptions } from '../config/options.ts'
import type { Log, LogFields } from '../lib/log.ts'
import { openLogFile } from './log-file.ts'

/** A field of such a name never holds what its name says, whoever logs it. */
const NEVER = ['authorization', 'cookie', 'password', 'key', 'token', 'secret', 'prompt', 'reply', 'messages', 'query']

/** JSON lines `{"level":"info","time":…,"pid":…,"event":…,…}` to the data folder's logs/unmask.log or to stderr. */
export function openLog(
  dataFolder: string,
  options: LogOptions,
  stderr: NodeJS.WritableStream,
): Log & { close(): void } {
  const sink = options.to === 'stderr' ? toStderr(stderr) : toFile(dataFolder, options)
  const logger = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      messageKey: 'event',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: NEVER, censor: '[removed]' },
    },
    sink,
  )
  return {
    debug: (event, fields: LogFields = {}) => logger.debug(fields, event),
    info: (event, fields: LogFields = {}) => logger.info(fields, event),
    warn: (event, fields: LogFields = {}) => logger.warn(fields, event),
    error: (event, fields: LogFields = {}) => logger.error(fields, event),
    close: () => sink.close(),
  }
}

function toFile(
  dataFolder: string,
  { fileBytesMax, filesMax }: LogOptions,
): { write(line: string): void; close(): void } {
  const folder = join(dataFolder, 'logs')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return openLogFile(join(folder, 'unmask.log'), { bytesMax: fileBytesMax, filesMax })
}

function toStderr(stderr: NodeJS.WritableStream): { write(line: string): void; close(): void } {
  return { write: (line) => void stderr.write(line), close: () => {} }
}
