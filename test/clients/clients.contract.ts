import { equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import OpenAI from 'openai'
import type { Target } from '../support/https-client.ts'
import { ADAPTERS, type Adapter } from './adapters.ts'

/** Makes every client of this process trust the server, as NODE_EXTRA_CA_CERTS does from outside. */
export function trust({ ca }: Target): void {
  if (ca !== undefined) setDefaultCACertificates([...getCACertificates('default'), ca])
}

/** What the real clients must be able to do with any server of ours, whatever engine stands behind it. */
export function testClients(target: Target): void {
  trust(target)
  for (const adapter of ADAPTERS) {
    describe(adapter.name, () => {
      const client = adapter.connect(target, 0)
      test('gets a plain reply', async () => {
        ok((await client.plain({ prompt: 'What is the sea?' })).length > 0)
      })
      test('streams a reply from each of the two models', async () => {
        for (const model of ['Model', 'Model-MoE']) {
          let text = ''
          for await (const piece of client.streamed({ prompt: 'What is the sea?', model })) text += piece
          ok(text.length > 0)
        }
      })
      test('leaves in the middle of a stream, and may come again', async () => {
        for await (const piece of client.streamed({ prompt: 'Count to a hundred.', maxTokens: 64 }))
          if (piece !== '') break
        ok((await client.plain({ prompt: 'Hello', maxTokens: 4 })).length > 0)
      })
      test('aborts by signal', async () => {
        const controller = new AbortController()
        const read = async (): Promise<void> => {
          const { signal } = controller
          for await (const piece of client.streamed({ prompt: 'Count to a hundred.', maxTokens: 64, signal })) {
            if (piece !== '') controller.abort()
          }
          // Some libraries end an aborted stream silently.
          if (signal.aborted) throw new DOMException('ended', 'AbortError')
        }
        await rejects(read())
      })
      testRefusals(adapter, target)
    })
  }
  testOpenAIHelpers(target)
}

function testRefusals(adapter: Adapter, target: Target): void {
  const cases = {
    'an unknown model': { status: 400, target, ask: { prompt: 'a', model: 'gpt-9' } },
    'a temperature out of range': { status: 400, target, ask: { prompt: 'a', temperature: 1.5 } },
    'a wrong key': { status: 401, target: { ...target, key: 'um_live_wrong' }, ask: { prompt: 'a' } },
  }
  for (const [name, { status, target: to, ask }] of Object.entries(cases)) {
    test(`is told ${status} for ${name}, plain and streamed`, async () => {
      const client = adapter.connect(to, 2)
      const drain = async (): Promise<void> => {
        for await (const _ of client.streamed(ask)) void _
      }
      for (const call of [() => client.plain(ask), drain]) {
        await rejects(call(), (error) => {
          equal(adapter.statusOf(error), status, String(error))
          return true
        })
      }
    })
  }
}

function testOpenAIHelpers({ baseUrl, key }: Target): void {
  describe('openai 7, its helpers', () => {
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 })
    const body = { model: 'Model', messages: [{ role: 'user' as const, content: 'What is the sea?' }], max_tokens: 12 }
    test('.stream() gathers the whole completion with its usage', async () => {
      const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } })
      let text = ''
      stream.on('content', (delta) => (text += delta))
      const completion = await stream.finalChatCompletion()
      equal(completion.choices[0]?.message.content, text)
      ok(['stop', 'length'].includes(completion.choices[0]?.finish_reason ?? ''))
      ok((completion.usage?.completion_tokens ?? 0) > 0)
    })
    test('the same seed gives the same reply, plain and streamed', async () => {
      const asked = { ...body, seed: 7 }
      const plain = await client.chat.completions.create(asked)
      const streamed = await client.chat.completions.stream(asked).finalContent()
      equal(streamed, plain.choices[0]?.message.content)
    })
    test('models.list() and models.retrieve()', async () => {
      const ids: string[] = []
      for await (const model of client.models.list()) ids.push(model.id)
      ok(ids.includes('Model') && ids.includes('Model-MoE'))
      equal((await client.models.retrieve('Model-MoE')).id, 'Model-MoE')
    })
    test('responses.create() is told where to go', async () => {
      await rejects(client.responses.create({ model: 'Model', input: 'a' }), /404.*\/v1\/chat\/completions/)
    })
    test('the request id can be quoted', async () => {
      const { request_id } = await client.chat.completions.create(body).withResponse()
      ok(request_id?.startsWith('req_'))
    })
  })
}
