/** Events, not sentences: `log.info('page_fetched', { url, status, ms })`. No key, prompt, reply or query text ever goes in. */
export type LogFields = Record<string, string | number | boolean | null | undefined>

export type Log = {
  debug(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }
