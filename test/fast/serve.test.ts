/** The life of `serve`: ready.json, first key, lock, join, ends and beginnings. Random weights, real everything else. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect } from 'node:tls'
import { issueAuthority, issueServer } from '../../src/api/tls/issue-certificate.ts'
import { childrenOf, isRunning } from '../support/processes.ts'
import { LAUNCHER, startProduct, type Ready } from '../support/product.ts'
import { startProgram, tinyEnvironment, watch } from '../support/tiny-product.ts'

const scratch = mkdtempSync(join(tmpdir(), 'unmask-serve-'))
after(() => rmSync(scratch, { recursive: true }))
let env: Record<string, string> = {}
before(async () => {
  env = await tinyEnvironment(scratch)
})
const newFolder = (name: string): string => join(scratch, name)
const readyOf = (folder: string): Ready => JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')) as Ready
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('one installation from its first start to its last', () => {
  const folder = newFolder('life')
  mkdirSync(folder)
  let firstKey = ''

  test('the first start: ready.json tells where, the key is in a file for its owner alone', async () => {
    const product = await startProduct({ folder, env })
    firstKey = product.key
    const { ready } = product
    deepEqual(Object.keys(ready), ['baseUrl', 'caFile', 'consoleUrl', 'pid'])
    equal(ready.pid, product.child.pid)
    equal((await product.ask('/readyz')).status, 200)
    equal((await product.ask('/v1/models')).status, 200)
    const reply = { model: 'Model', max_tokens: 4, messages: [{ role: 'user', content: 'a' }] }
    equal((await product.ask('/v1/chat/completions', { body: reply })).status, 200)

    match(firstKey, /^um_live_[0-9A-Za-z]{36}$/)
    ok(!product.output().includes(firstKey))
    ok(product.output().includes(`$(cat ${join(folder, 'first-key')})`))
    ok(product.output().includes(`--cacert ${ready.caFile} ${ready.baseUrl}/v1/chat/completions`))
    for (const name of readdirSync(folder))
      ok((modeOf(join(folder, name)) & 0o077) === 0, `${name} is for its owner alone`)
    equal(modeOf(folder), 0o700)

    const [engine = 0] = childrenOf(ready.pid, 'engine')
    equal(await product.stop(true), 0)
    ok(!existsSync(join(folder, 'ready.json')))
    ok(!isRunning(engine))
    const log = readFileSync(join(folder, 'logs', 'unmask.log'), 'utf8')
    match(log, /"event":"ready"[\s\S]*"event":"stopping"[\s\S]*"event":"stopped"/)
    ok(!log.includes(firstKey))
  })

  test('a later start: the same key and certificate, and no key on the screen', async () => {
    const fingerprint = readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8')
    const product = await startProduct({ folder, env })
    equal(readFileSync(product.ready.caFile, 'utf8'), fingerprint)
    equal((await product.ask('/v1/models', { key: firstKey })).status, 200)
    ok(!/um_live_|first-key|curl/.test(product.output()))
    equal(await product.stop(true), 0)
  })

  test('kill -9, then a start: no lock is left, ready.json is the new one’s', async () => {
    const killed = await startProduct({ folder, env })
    await killed.kill()
    equal(readyOf(folder).pid, killed.ready.pid)
    const product = await startProduct({ folder, env })
    equal(readyOf(folder).pid, product.child.pid)
    equal((await product.ask('/v1/models', { key: firstKey })).status, 200)
    equal(await product.stop(true), 0)
  })

  test('a second serve is refused with the way out; one that joins has its own port and leaves ready.json alone', async () => {
    const product = await startProduct({ folder, env })
    const before = readFileSync(join(folder, 'ready.json'), 'utf8')
    const second = startProgram(['serve', '--data', folder], env)
    equal(await second.ended, 1)
    match(
      second.stderr(),
      new RegExp(`in use: process ${product.child.pid} serves ${product.ready.baseUrl}.*serve --join`),
    )

    const joined = startProgram(['serve', '--data', folder, '--join', '--json'], env)
    const at = JSON.parse(await joined.says(/^\{.*\}\n/)) as Ready
    ok(at.baseUrl !== product.ready.baseUrl)
    equal((await product.ask(`${at.baseUrl}/v1/models`)).status, 200)
    joined.child.kill('SIGTERM')
    equal(await joined.ended, 0)
    equal(readFileSync(join(folder, 'ready.json'), 'utf8'), before)
    equal((await product.ask('/v1/models')).status, 200)
    equal(await product.stop(true), 0)
  })
})

test('on a terminal the first key is shown once and is in no file', async () => {
  const folder = newFolder('terminal')
  const command = `${LAUNCHER} serve --data ${folder} --port 0`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const terminal = watch(child)
  const key =
    /um_live_[0-9A-Za-z]{36}/.exec(await terminal.says(/First key +um_live_[0-9A-Za-z]{36} [\s\S]*Ctrl\+C/))?.[0] ?? ''
  ok(key !== '')
  ok(!existsSync(join(folder, 'first-key')))
  process.kill(readyOf(folder).pid, 'SIGINT')
  equal(await terminal.ended, 0)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const file of files)
    ok(!readFileSync(join(file.parentPath, file.name), 'latin1').includes(key), `${file.name} holds the key`)
})

describe('a start that cannot be is a sentence, and leaves nothing running', () => {
  const refused = async (name: string, words: string[], more: Record<string, string>, told: RegExp): Promise<void> => {
    const folder = newFolder(name)
    const program = startProgram(['serve', '--data', folder, ...words], { ...env, ...more })
    equal(await program.ended, 1)
    match(program.stderr(), told)
    ok(!program.stderr().includes('    at '), program.stderr())
    ok(!existsSync(join(folder, 'ready.json')))
    equal(childrenOf(program.child.pid ?? 0, 'engine').length, 0)
  }

  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.on('listening', resolve))
    const { port } = other.address() as AddressInfo
    await refused('port', ['--port', String(port)], {}, new RegExp(`^unmask: Port ${port} on 127\\.0\\.0\\.1 is taken`))
    other.close()
  })
  test('a model that is not there', () =>
    refused(
      'model',
      [],
      { UNMASK_ENGINE_MODELS: 'Model=/none.gguf' },
      /^unmask: The model Model cannot be opened: .*\/none\.gguf/,
    ))
  test('a time zone that is none', () =>
    refused('zone', ['--set', 'accounts.zone=Mars/Base'], {}, /^unmask: "Mars\/Base" is no time zone/))
  test('SIGTERM while it starts ends it at once', async () => {
    const folder = newFolder('early')
    const program = startProgram(['serve', '--data', folder], env)
    while (!existsSync(join(folder, 'tls', 'server.pem'))) await new Promise((resolve) => setTimeout(resolve, 5))
    const [engine = 0] = childrenOf(program.child.pid ?? 0, 'engine')
    program.child.kill('SIGTERM')
    equal(await program.ended, 0)
    const until = performance.now() + 2000
    while (isRunning(engine) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5))
    ok(!isRunning(engine))
    ok(!existsSync(join(folder, 'ready.json')))
  })
  test('nothing to join', () => refused('join', ['--join'], {}, /^unmask: there is nothing to join at /))
})

test('SIGHUP takes the new certificate files for new connections, and a broken pair changes nothing', async () => {
  const folder = newFolder('files')
  mkdirSync(folder)
  const life = { notBefore: Date.now() - 1000, notAfter: Date.now() + 86_400_000 }
  const authority = issueAuthority('test', life)
  const [cert, key] = [join(scratch, 'cert.pem'), join(scratch, 'key.pem')]
  const install = (): void => {
    const issued = issueServer(['127.0.0.1'], life, {
      certPem: authority.certPem,
      key: createPrivateKey(authority.keyPem),
    })
    writeFileSync(cert, issued.certPem)
    writeFileSync(key, issued.keyPem)
  }
  install()
  const tls = { UNMASK_TLS_MODE: 'files', UNMASK_TLS_CERT_FILE: cert, UNMASK_TLS_KEY_FILE: key }
  const program = startProgram(['serve', '--data', folder, '--json'], { ...env, ...tls })
  const { baseUrl, pid } = JSON.parse(await program.says(/^\{.*\}\n/)) as Ready
  const seen = (): Promise<string> => fingerprintOf(Number(new URL(baseUrl).port), authority.certPem)
  const first = await seen()

  install()
  process.kill(pid, 'SIGHUP')
  let second = await seen()
  while (second === first) second = await seen()

  copyFileSync(cert, key)
  process.kill(pid, 'SIGHUP')
  const log = join(folder, 'logs', 'unmask.log')
  while (!readFileSync(log, 'utf8').includes('tls_reload_failed'))
    await new Promise((resolve) => setTimeout(resolve, 5))
  equal(await seen(), second)
  program.child.kill('SIGTERM')
  equal(await program.ended, 0)
})

function fingerprintOf(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ca }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
