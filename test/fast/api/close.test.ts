import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'
import { eventsOf, say } from '../../support/https-client.ts'

const body = (words: string, stream = true): string => JSON.stringify({ model: 'Model', stream, ...say(words) })

describe('closing', () => {
  test('a running reply may end; then the server does', async () => {
    const server = await startServer({ keepAliveS: 1 })
    const response = await server.open('/v1/chat/completions', { body: body('long 512') })
    const closed = server.server.close(5000)
    let text = ''
    for await (const chunk of response) text += String(chunk)
    ok(text.endsWith('data: [DONE]\n\n'))
    await closed
  })
  test('a reply that does not end in time is told so, and its account pays', async () => {
    const server = await startServer()
    const response = await server.open('/v1/chat/completions', { body: body('hang-later') })
    const closed = server.server.close(20)
    let text = ''
    for await (const chunk of response) text += String(chunk)
    const last = JSON.parse(eventsOf(text).at(-1) ?? '') as { error: { code: number } }
    equal(last.error.code, 503)
    await closed
    equal(server.accounts.uses.at(-1)?.ended, 'settled')
  })
  test('a plain reply that has not begun gets 503 and is given back', async () => {
    const server = await startServer()
    const begun = server.engine.nextRequest()
    const reply = server.chat({ ...say('hang') })
    await begun
    await server.server.close(20)
    const { status, headers } = await reply
    deepEqual([status, headers['connection']], [503, 'close'])
    equal(server.accounts.uses.at(-1)?.ended, 'refunded')
  })
  test('a stream that nobody reads does not hold it up', async () => {
    const server = await startServer()
    const response = await server.open('/v1/chat/completions', {
      body: JSON.stringify({ ...JSON.parse(body('long 8192')), max_tokens: 8192 }),
    })
    response.on('error', () => undefined)
    response.pause()
    await server.server.close(20)
    if (!response.closed) {
      response.destroy()
      await once(response, 'close')
    }
  })
  test('new connections are refused', async () => {
    const server = await startServer()
    await server.server.close(0)
    equal(
      await server.send('/healthz').then(
        () => 'answered',
        () => 'refused',
      ),
      'refused',
    )
  })
})
