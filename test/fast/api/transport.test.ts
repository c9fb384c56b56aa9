import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { setInterval as every } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { issueServer } from '../../../src/api/tls/issue-certificate.ts'
import { createPrivateKey } from 'node:crypto'
import { startServer, type TestServer } from '../../support/api-server.ts'
import { freePort } from '../../support/free-port.ts'

const server = await startServer({ headersTimeoutS: 0.3, requestTimeoutS: 0.6 })

async function socketTo(to: TestServer, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: to.listening.port, host: '127.0.0.1', ca: to.target.ca ?? [], ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** Everything that comes back after these bytes, until the server closes. */
async function talk(to: TestServer, bytes: string): Promise<string> {
  const socket = await socketTo(to)
  socket.write(bytes)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

function errorIn(answer: string): { status: string; code: number; type: string } {
  const { code, type } = (
    JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { error: { code: number; type: string } }
  ).error
  return { status: answer.slice(0, 12), code, type }
}

describe('requests that never become one still get the error object', () => {
  test('408: half a header', async () => {
    const answer = await talk(server, 'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthor')
    deepEqual(errorIn(answer), { status: 'HTTP/1.1 408', code: 408, type: 'timeout_error' })
    const id = /x-request-id: (req_\w+)/.exec(answer)?.[1]
    ok(
      server.lines.some(({ fields }) => fields['requestId'] === id && fields['status'] === 408),
      'the log knows it',
    )
  })
  test('408: a body that stops', async () => {
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.target.key}\r\n`
    const answer = await talk(server, `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"model"`)
    equal(errorIn(answer).code, 408)
  })
  test('431: headers too large', async () => {
    const answer = await talk(server, `GET / HTTP/1.1\r\nHost: a\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`)
    deepEqual(errorIn(answer), { status: 'HTTP/1.1 431', code: 431, type: 'invalid_request_error' })
  })
  test('400: bytes that are no HTTP', async () => {
    const answer = await talk(server, 'hello there\r\n\r\n')
    deepEqual(errorIn(answer), { status: 'HTTP/1.1 400', code: 400, type: 'invalid_request_error' })
  })
  test('400: no Host', async () => {
    const answer = await talk(server, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
    deepEqual(errorIn(answer), { status: 'HTTP/1.1 400', code: 400, type: 'invalid_request_error' })
    match(answer, /x-request-id: req_/)
  })
  test('an expectation nobody knows is ignored', async () => {
    const answer = await talk(server, 'GET /v1/models HTTP/1.1\r\nHost: a\r\nExpect: x\r\nConnection: close\r\n\r\n')
    equal(errorIn(answer).code, 401)
  })
  test('400: two lengths that could smuggle a request', async () => {
    const head =
      'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n'
    equal(errorIn(await talk(server, `${head}0\r\n\r\n`)).code, 400)
  })
})

describe('a client that stays away holds no socket', () => {
  const signal = AbortSignal.timeout(10_000)
  test('one that never begins TLS', async () => {
    const socket = connectPlain({ port: server.listening.port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket.resume(), 'end', { signal })
    socket.destroy()
  })
  test('one that does not hang up after its error', async () => {
    const plain = await startServer({ tlsMode: 'proxy' })
    const socket = connectPlain({ port: plain.listening.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write('hello there\r\n\r\n')
    await once(socket.resume(), 'end', { signal })
    const both = socketsHere()
    for await (const _ of every(50, undefined, { signal })) if (socketsHere() < both) break
    equal(socket.writable, true, 'it has not hung up')
    socket.destroy()
  })
})

/** Both ends of a connection are in this process. */
function socketsHere(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}

describe('TLS', () => {
  test('1.3 and 1.2 with AEAD suites; 1.1 and CBC are refused', async () => {
    const protocols: (string | null)[] = []
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const socket = await socketTo(server, { maxVersion })
      protocols.push(socket.getProtocol())
      socket.destroy()
    }
    deepEqual(protocols, ['TLSv1.3', 'TLSv1.2'])
    const refused = [
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
    ] as const
    for (const options of refused) {
      const outcome = await socketTo(server, options).then(
        () => 'connected',
        () => 'refused',
      )
      equal(outcome, 'refused')
    }
  })
  test('plain HTTP on the TLS port is never answered with content', async () => {
    const answer = await plainRequest(server.listening.port, '/healthz').catch((error: Error) => error)
    ok(answer instanceof Error)
  })
  test('the private keys are for their owner alone', async () => {
    for (const name of ['ca-key.pem', 'server-key.pem']) {
      equal((await stat(join(server.folder, 'tls', name))).mode & 0o777, 0o600)
    }
  })
})

describe('TLS mode files', async () => {
  const authority = {
    certPem: server.tls.authority?.pem ?? '',
    keyPem: await readFile(join(server.folder, 'tls/ca-key.pem'), 'utf8'),
  }
  const issuer = { certPem: authority.certPem, key: createPrivateKey(authority.keyPem) }
  const life = { notBefore: Date.now() - 1000, notAfter: Date.now() + 86_400_000 }
  const [certFile, keyFile] = [join(server.folder, 'own.pem'), join(server.folder, 'own-key.pem')]
  const write = async (): Promise<void> => {
    const issued = issueServer(['127.0.0.1'], life, issuer)
    await writeFile(certFile, issued.certPem)
    await writeFile(keyFile, issued.keyPem)
  }
  await write()
  const own = await startServer({ tlsMode: 'files', tlsCertFile: certFile, tlsKeyFile: keyFile })
  const fingerprint = async (): Promise<string> => {
    const socket = await socketTo(own, { ca: authority.certPem })
    const shown = socket.getPeerX509Certificate()?.fingerprint256 ?? ''
    socket.destroy()
    return shown
  }

  test('a new pair is taken up by reload, without a new start', async () => {
    const before = await fingerprint()
    await write()
    equal(await own.server.reload(), true)
    const after = await fingerprint()
    ok(after !== before && after === own.tls.material?.fingerprint)
  })
  test('a bad pair keeps the old one and is logged', async () => {
    const before = await fingerprint()
    await writeFile(certFile, 'no certificate')
    equal(await own.server.reload(), false)
    equal(await fingerprint(), before)
    ok(own.lines.some((line) => line.event === 'tls_reload_failed' && String(line.fields['error']).includes('own.pem')))
  })
})

describe('the plain-HTTP listener', async () => {
  const port = await freePort()
  const both = await startServer({ plainHttpPort: port, names: ['box.example.org'] })
  const base = both.listening.baseUrl
  test('403 with the error object for every API path, whatever the method and key', async () => {
    for (const path of ['/v1/chat/completions', '/v1/models', '/nothing', '/healthz', '/openapi.json', '/ca.pem']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const reply = await plainRequest(port, path, {
          method,
          headers: { authorization: `Bearer ${both.target.key}` },
        })
        deepEqual([reply.status, reply.location], [403, undefined])
        equal((JSON.parse(reply.text) as { error: { type: string } }).error.type, 'permission_error')
      }
    }
  })
  test('the search paths in the form of their clients', async () => {
    for (const path of ['/api/web-search?query=a', '/v1/web-search']) {
      const reply = await plainRequest(port, path, { method: 'POST' })
      const { _type, code, error } = JSON.parse(reply.text) as { _type: string; code: string; error: { code: number } }
      deepEqual([reply.status, _type, code, error.code], [403, 'ErrorResponse', '403', 403])
    }
  })
  test('pages are redirected to the configured address, never to the Host header', async () => {
    for (const path of ['/', '/docs', '/docs/api/', '/search?q=sea']) {
      const reply = await plainRequest(port, path, { headers: { host: 'evil.example' } })
      deepEqual([reply.status, reply.location], [308, `${base}${path}`])
    }
    equal((await plainRequest(port, '/', { method: 'POST' })).status, 403)
    equal((await plainRequest(port, '/', { headers: { authorization: 'Bearer x' } })).status, 403)
  })
})

describe('TLS mode proxy', async () => {
  const socketPath = join(server.folder, 'unmask.sock')
  const behind = await startServer({ tlsMode: 'proxy', unixSocket: socketPath, trustedProxies: ['unix'] })
  const ask = (path: string, headers: Record<string, string> = {}) => plainRequest(0, path, { headers, socketPath })
  test('serves plain HTTP on a unix socket', async () => {
    equal((await ask('/healthz')).status, 200)
    const reply = await ask('/v1/models', {
      authorization: `Bearer ${behind.target.key}`,
      'x-forwarded-proto': 'https',
    })
    equal(reply.status, 200)
  })
  test('a client that came to the proxy over plain HTTP gets 403', async () => {
    equal((await ask('/v1/models', { 'x-forwarded-proto': 'http' })).status, 403)
  })
  test('the client address is the one that the proxy tells', async () => {
    behind.accounts.add('um_live_far', { addresses: ['192.0.2.9'] })
    const headers = { authorization: 'Bearer um_live_far', 'content-type': 'application/json' }
    const body = '{"model":"Model","messages":[{"role":"user","content":"a"}]}'
    const from = async (address: string) =>
      (
        await plainRequest(0, '/v1/chat/completions', {
          method: 'POST',
          body,
          socketPath,
          headers: { ...headers, 'x-forwarded-for': address },
        })
      ).status
    deepEqual([await from('192.0.2.9'), await from('192.0.2.8')], [200, 403])
  })
  test('is refused on an address that others can reach', async () => {
    const refusal = await startServer({ tlsMode: 'proxy', host: '0.0.0.0' }).catch((error: Error) => error.message)
    match(String(refusal), /loopback or a unix socket only, not on 0\.0\.0\.0: set host to 127\.0\.0\.1/)
  })
})

type Plain = { status: number; text: string; location: string | undefined }
type PlainOptions = { method?: string; headers?: Record<string, string>; body?: string; socketPath?: string }

async function plainRequest(
  port: number,
  path: string,
  { body, socketPath, ...options }: PlainOptions = {},
): Promise<Plain> {
  const request = httpRequest({
    path,
    ...options,
    ...(socketPath === undefined ? { port, host: '127.0.0.1' } : { socketPath }),
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, text, location: response.headers.location }
}
