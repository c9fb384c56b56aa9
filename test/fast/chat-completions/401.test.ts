import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'

const server = await startServer()
server.accounts.add('um_live_revoked')
server.accounts.reject('um_live_revoked', 'revoked')
server.accounts.reject('um_live_expired', 'expired')
server.accounts.reject('um_live_disabled', 'account_disabled')

const AUTHORIZATIONS: Record<string, string | undefined> = {
  'no header': undefined,
  empty: '',
  'no scheme': 'um_live_test',
  'another scheme': 'Basic dTpw',
  'no key': 'Bearer ',
  'an unknown key': 'Bearer um_live_nobody',
  'a revoked key': 'Bearer um_live_revoked',
  'an expired key': 'Bearer um_live_expired',
  'a key of a disabled account': 'Bearer um_live_disabled',
  'two keys': 'Bearer um_live_test um_live_test',
}

describe('401 says the same for every kind of wrong key', () => {
  for (const [name, authorization] of Object.entries(AUTHORIZATIONS)) {
    test(name, async () => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const reply = await server.chat({}, { key: null, headers: { 'content-type': 'application/json', ...headers } })
      equal(reply.status, 401)
      deepEqual(reply.error(), {
        code: 401,
        message: 'The API key is missing or invalid.',
        type: 'authentication_error',
        param: null,
      })
      equal(reply.headers['www-authenticate'], 'Bearer')
      equal(reply.headers['x-ratelimit-limit-requests'], undefined)
    })
  }
})

test('the scheme is read in any case', async () => {
  const headers = { authorization: 'bearer um_live_test', 'content-type': 'application/json' }
  equal((await server.chat({}, { key: null, headers })).status, 200)
})

test('the log knows why, and never the key', async () => {
  const reply = await server.chat({}, { key: 'um_live_expired' })
  const line = server.lines.find((entry) => entry.fields['requestId'] === reply.headers['x-request-id'])
  deepEqual([line?.fields['error'], line?.fields['reason']], ['key_rejected', 'expired'])
  equal(JSON.stringify(server.lines).includes('um_live_expired'), false)
})

test('a key revoked while its stream runs: the stream ends normally, the next call is 401', async () => {
  server.accounts.add('um_live_midway')
  const key = 'um_live_midway'
  const response = await server.open('/v1/chat/completions', {
    key,
    body: JSON.stringify({ model: 'Model', stream: true, messages: [{ role: 'user', content: 'say a b c' }] }),
  })
  server.accounts.reject(key, 'revoked')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  equal(text.endsWith('data: [DONE]\n\n'), true)
  equal((await server.chat({}, { key })).status, 401)
})
