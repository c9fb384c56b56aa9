import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Target } from '../support/https-client.ts'
import { pythonPath } from '../support/python.ts'

const SCRIPT = join(import.meta.dirname, '../python/clients.py')

export type Scenario = { name: string; error: string | null }

/** Keys that only a scripted server has: one with the scope search alone, one whose day is spent. */
export type ScriptedKeys = { searchKey: string; spentKey: string }

/** Runs every scenario of test/python/clients.py; not synchronously, since the server may live in this process. */
export async function runPythonClients(target: Target, scripted?: ScriptedKeys): Promise<Scenario[]> {
  const caFile = join(mkdtempSync(join(tmpdir(), 'unmask-ca-')), 'ca.pem')
  writeFileSync(caFile, target.ca ?? '')
  const child = spawn(pythonPath(), [SCRIPT], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, SSL_CERT_FILE: caFile, PYTHONUTF8: '1' },
  })
  const { baseUrl, key } = target
  child.stdin.end(JSON.stringify({ baseUrl, key, scripted: scripted !== undefined, ...scripted }))
  const ended = once(child, 'exit') as Promise<[number | null]>
  let out = ''
  for await (const text of child.stdout) out += String(text)
  const [code] = await ended
  if (code !== 0) throw new Error(`clients.py ended with ${code}`)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Scenario)
}
