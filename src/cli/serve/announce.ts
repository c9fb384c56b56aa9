import type { Call } from '../command.ts'
import { writeFirstKey } from '../first-key.ts'
import { writeReadyFile, type Ready } from '../ready-file.ts'
import { renderBanner, type Opening } from './banner.ts'
import type { Parts } from './start.ts'

type Begun = { call: Call; dataFolder: string; parts: Parts; joined: boolean; version: string }

/** Tells programs (ready.json) and people that it can answer; the first start makes the local operator and its key. */
export async function announce({ call, dataFolder, parts, joined, version }: Begun): Promise<void> {
  const { tls, accounts, engine, listening } = parts
  const { terminal } = call
  const { baseUrl } = listening
  const showSecret = terminal.isTerminal && !call.on('json')
  const operator = joined ? undefined : await accounts.ensureLocalOperator()
  const firstKey = operator?.kind === 'created' ? keepFirstKey(dataFolder, operator.secret, showSecret) : undefined
  const ready: Ready = { baseUrl, caFile: tls.authority?.file ?? '', consoleUrl: `${baseUrl}/`, pid: process.pid }
  if (!joined) writeReadyFile(dataFolder, ready)
  terminal.progress('')
  const opening = {
    version,
    baseUrl,
    joined,
    firstKey,
    caFile: tls.authority?.file,
    fingerprint: tls.material?.fingerprint,
    caFingerprint: tls.authority?.fingerprint,
    models: engine.health().models.map((model) => model.id),
    startMs: sinceStart(),
  }
  terminal.say(call.on('json') ? JSON.stringify(ready) : renderBanner(opening, terminal))
}

function keepFirstKey(dataFolder: string, secret: string, show: boolean): Opening['firstKey'] {
  return show ? { kind: 'secret', secret } : { kind: 'file', path: writeFirstKey(dataFolder, secret) }
}

/** Milliseconds since the process began. */
export function sinceStart(): number {
  return Math.round(performance.now())
}
