import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'
import { say } from '../../support/https-client.ts'

const server = await startServer({ deadlineS: 0.2 })

for (const stream of [false, true]) {
  describe(`before the first byte failures are real statuses (stream: ${stream})`, () => {
    test('500 when the engine dies', async () => {
      for (const words of ['fail engine_failed', 'die']) {
        const reply = await server.chat({ ...say(words), stream })
        deepEqual([reply.status, reply.error().type, reply.error().param], [500, 'server_error', null])
      }
    })
    test('504 when the engine says that the deadline has passed', async () => {
      const reply = await server.chat({ ...say('fail timed_out'), stream })
      deepEqual([reply.status, reply.error().type], [504, 'timeout_error'])
    })
    test('504 when the engine says nothing at all, and its work is cancelled', async () => {
      const reply = await server.chat({ ...say('hang'), stream })
      deepEqual([reply.status, reply.error().type], [504, 'timeout_error'])
      await server.engine.idle()
    })
    test('the call is given back', async () => {
      const key = `um_live_back_${stream}`
      server.accounts.add(key, {}, { day: 1, concurrent: 1 })
      for (const words of ['fail engine_failed', 'fail timed_out', 'die', 'hang']) {
        ok((await server.chat({ ...say(words), stream }, { key })).status >= 500)
      }
      equal((await server.chat({ stream }, { key })).status, 200)
    })
  })
}

test('the deadline of a plain reply bounds the whole of it', async () => {
  equal((await server.chat(say('hang-later'))).status, 504)
})

test('our own bug is a 500 that tells the caller nothing and the log everything', async () => {
  server.accounts.limits = () => {
    throw new Error('the disk is on fire')
  }
  server.accounts.admit = async () => {
    throw new Error('the disk is on fire')
  }
  const reply = await server.chat()
  deepEqual([reply.status, reply.error().message], [500, 'Internal server error.'])
  const line = server.lines.find((entry) => entry.event === 'internal_error')
  equal(line?.fields['requestId'], reply.headers['x-request-id'])
  equal(line?.fields['error'], 'Error: the disk is on fire')
})
