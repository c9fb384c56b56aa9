import { equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import OpenAI from 'openai'
import { ADAPTERS } from '../clients/adapters.ts'
import { testClients } from '../clients/clients.contract.ts'
import { startServer } from '../support/api-server.ts'

const server = await startServer()
const { target } = server
testClients(target)

/** How often the engine was asked by this call, which must fail with `status`. */
async function attempts(
  status: number,
  adapter: (typeof ADAPTERS)[number],
  prompt: string,
  retries: number,
): Promise<number> {
  const before = server.engine.requests.length
  await rejects(adapter.connect(target, retries).plain({ prompt }), (error) => {
    equal(adapter.statusOf(error), status, String(error))
    return true
  })
  return server.engine.requests.length - before
}

for (const adapter of ADAPTERS) {
  describe(`${adapter.name}, what the engine cannot do`, () => {
    test('429 of a busy server is tried again after the time that it names', async () => {
      equal(await attempts(429, adapter, 'fail overloaded 0.01', 1), 2)
    })
    test('500 is tried again, 400 is not', async () => {
      equal(await attempts(500, adapter, 'fail engine_failed', 1), 2)
      equal(await attempts(400, adapter, 'fail prompt_too_long', 1), 1)
    })
    test('504 is told', async () => {
      equal(await attempts(504, adapter, 'fail timed_out', 0), 1)
    })
    test('429 of a spent day is told at once', async () => {
      server.accounts.add('um_live_day', {}, { day: 0, concurrent: 1 })
      const before = server.lines.length
      const client = adapter.connect({ ...target, key: 'um_live_day' }, adapter.minds ? 2 : 0)
      await rejects(client.plain({ prompt: 'a' }), (error) => adapter.statusOf(error) === 429)
      const tries = server.lines.slice(before).filter((line) => line.event === 'request').length
      equal(tries, 1)
    })
    test('a failure in the middle of a stream is an error, with the text so far', async () => {
      let text = ''
      const read = async (): Promise<void> => {
        for await (const piece of adapter.connect(target, 0).streamed({ prompt: 'fail-later engine_failed' }))
          text += piece
      }
      await rejects(read(), /engine could not finish/)
      ok(text.startsWith('Hello'))
    })
    if (adapter.leaves) {
      test('a client that leaves frees its place', async () => {
        for await (const piece of adapter.connect(target, 0).streamed({ prompt: 'hang-later' })) if (piece !== '') break
        await server.engine.idle()
      })
    }
  })
}

test('openai throws the class of each status', async () => {
  const client = new OpenAI({ baseURL: `${target.baseUrl}/v1`, apiKey: target.key, maxRetries: 0 })
  const ask = (content: string) =>
    client.chat.completions.create({ model: 'Model', messages: [{ role: 'user', content }] })
  await rejects(ask('fail prompt_too_long'), OpenAI.BadRequestError)
  await rejects(ask('fail overloaded 1'), OpenAI.RateLimitError)
  await rejects(ask('fail engine_failed'), OpenAI.InternalServerError)
  await rejects(client.models.retrieve('nothing'), OpenAI.NotFoundError)
  await rejects(client.withOptions({ apiKey: 'x' }).models.list(), OpenAI.AuthenticationError)
  server.accounts.add('um_live_search', { scopes: ['search'] })
  await rejects(
    client
      .withOptions({ apiKey: 'um_live_search' })
      .chat.completions.create({ model: 'Model', messages: [{ role: 'user', content: 'a' }] }),
    OpenAI.PermissionDeniedError,
  )
})
