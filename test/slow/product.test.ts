/** The product as it ships: `./unmask serve` with the bundled pair, real TLS, the command line beside it. */
import { equal, match, ok, deepEqual } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { childrenOf, isRunning } from '../support/processes.ts'
import { LAUNCHER, startProduct, type Product } from '../support/product.ts'

const MODELS = ['Model', 'Model-MoE']
/** Of each question, so that chance decides little: a multiple of ten. */
const RUNS = 40

type Completion = {
  choices: [{ message: { content: string }; finish_reason: string }]
  usage: { prompt_tokens: number; completion_tokens: number }
}
type Refusal = { error: { code: number; type: string; message: string; param: string | null; detail?: string } }

function ask(product: Product, body: object, key = product.key): ReturnType<Product['ask']> {
  return product.ask('/v1/chat/completions', { body, key })
}

function question(text: string, more: object = {}): object {
  return { model: 'Model', messages: [{ role: 'user', content: text }], max_tokens: 48, seed: 1, ...more }
}

function unmask(folder: string, ...words: string[]): string {
  const run = spawnSync(LAUNCHER, [...words, '--data', folder], { encoding: 'utf8' })
  equal(run.status, 0, run.stderr)
  return run.stdout
}

const textOf = (answer: { json<T>(): T }): string => answer.json<Completion>().choices[0].message.content

const isAboutSleep = (text: string): boolean => /\b(sleep|bed|bedtime|rest|night)\b/i.test(text)

/** Items of a list, or sentences where there is no list. */
function countPoints(text: string): number {
  const items = text.match(/^\s*(?:\d+[.)]|[-*•])/gm)?.length ?? 0
  return Math.max(items, text.match(/[.!?](?:\s|$)/g)?.length ?? 0)
}

describe('a fresh installation', () => {
  let product: Product
  before(async () => {
    product = await startProduct()
  })
  after(() => product.stop())

  const sensible: [ask: string, isSensible: (text: string) => boolean][] = [
    ['What is the capital of Italy?', (text) => /\bRome\b/.test(text)],
    ['Who are you?', (text) => /\bUnmask\b/.test(text)],
    ['How do I stream a reply from you?', (text) => text.includes('"stream": true')],
    ['Give me three tips for sleeping better.', (text) => isAboutSleep(text) && countPoints(text) >= 3],
    ['What is 17 + 25?', (text) => /\b42\b/.test(text)],
  ]
  for (const model of MODELS) {
    for (const [asked, isSensible] of sensible) {
      test(`${model} answers "${asked}" sensibly in at least 9 of 10 runs`, async () => {
        const texts: string[] = []
        while (texts.length < RUNS) {
          const runs = Array.from({ length: 10 }, (_, i) =>
            ask(product, question(asked, { model, seed: texts.length + i, max_tokens: 200 })),
          )
          texts.push(...(await Promise.all(runs)).map(textOf))
        }
        const odd = texts.filter((text) => !isSensible(text))
        ok(odd.length <= RUNS / 10, odd.join('\n---\n'))
      })
    }
  }

  test('`models list` tells size, licence and figures of both', () => {
    const rows = JSON.parse(unmask(product.folder, 'models', 'list', '--json')) as Record<string, unknown>[]
    deepEqual(
      rows.map(({ id, license }) => [id, license]),
      MODELS.map((id) => [id, 'apache-2.0']),
    )
    for (const { bytes, tokensPerForward } of rows) {
      ok(Number(bytes) > 1e8 && Number(bytes) < 2e8)
      ok(Number(tokensPerForward) > 1)
    }
    match(unmask(product.folder, 'models', 'list'), /^Model +Model +151 M +116 MB +apache-2\.0 .* verified +1\.\d\d /m)
  })

  test('the reply of a seed is the same alone and among 16 others', async () => {
    for (const model of MODELS) {
      const body = question('Write a short poem about the sea.', { model, seed: 7, max_tokens: 64 })
      const alone = textOf(await ask(product, body))
      const crowd = Array.from({ length: 16 }, (_, i) =>
        ask(
          product,
          question(`Tell me about the number ${i}.`, { model: MODELS[i % 2], seed: i, max_tokens: 10 + 5 * i }),
        ),
      )
      equal(textOf(await ask(product, body)), alone)
      for (const answer of await Promise.all(crowd)) equal(answer.status, 200, answer.text)
    }
  })

  test('4 MiB of one letter is refused within a second while another reply goes on', async () => {
    const other = ask(product, question('Tell me a long story.', { max_tokens: 100 }))
    const startedAt = performance.now()
    const answer = await ask(product, question('a'.repeat(4 * 1024 * 1024 - 1000)))
    const tookMs = performance.now() - startedAt
    equal(answer.status, 400, answer.text)
    equal(answer.json<Refusal>().error.message, 'Request failed.')
    ok(tookMs < 1000, `${tookMs} ms`)
    equal((await other).status, 200)
  })

  test('a key revoked mid-stream lets the stream end, and the next call is 401', async () => {
    const { id, key } = JSON.parse(unmask(product.folder, 'keys', 'create', '--name', 'short', '--json'))
    const seen: string[] = []
    let revoked = false
    const status = await product.stream(
      question('Count from one to twenty in words.', { max_tokens: 120 }),
      (data) => {
        seen.push(data)
        if (!revoked && seen.length === 3) {
          revoked = true
          unmask(product.folder, 'keys', 'revoke', id)
        }
      },
      key,
    )
    equal(status, 200)
    equal(seen.at(-1), '[DONE]')
    equal((await ask(product, question('Hello'), key)).status, 401)
  })

  test('kill -9 of the engine: running replies fail honestly, and it answers again', async () => {
    const [engine] = childrenOf(product.ready.pid, 'engine')
    ok(engine !== undefined, 'the engine is a child process')
    const plain = ask(product, question('Tell me a very long story.', { max_tokens: 2000 }))
    const chunks: string[] = []
    let killedAt = 0
    const streamed = product.stream(question('Tell me another long story.', { max_tokens: 2000 }), (data) => {
      chunks.push(data)
      if (chunks.length === 4) {
        killedAt = performance.now()
        process.kill(engine, 'SIGKILL')
      }
    })
    const answer = await plain
    equal(answer.status, 500, answer.text)
    equal(answer.json<Refusal>().error.type, 'server_error')
    equal(await streamed, 200)
    equal(JSON.parse(chunks.at(-1) ?? '').error.type, 'server_error')
    while ((await product.ask('/readyz')).status !== 200 && performance.now() - killedAt < 10_000) await pause(10)
    ok(performance.now() - killedAt < 10_000, `${performance.now() - killedAt} ms`)
    equal((await ask(product, question('Hello'))).status, 200)
  })

  test('a second serve on the same folder is refused with a sentence', () => {
    const run = spawnSync(LAUNCHER, ['serve', '--data', product.folder, '--port', '0'], { encoding: 'utf8' })
    ok(run.status !== 0)
    match(run.stderr, /--join/)
  })
})

describe('two servers on one data folder', () => {
  test('the daily quota of a limited package is exact', async () => {
    const product = await startProduct()
    const joined = spawn(LAUNCHER, ['serve', '--join', '--data', product.folder, '--port', '0'], { stdio: 'pipe' })
    try {
      let output = ''
      joined.stdout.on('data', (bytes) => (output += String(bytes)))
      joined.stderr.on('data', (bytes) => (output += String(bytes)))
      unmask(
        product.folder,
        'packages',
        'set',
        'tiny',
        '--chat-minute',
        'none',
        '--chat-day',
        '11',
        '--chat-concurrent',
        '30',
      )
      unmask(product.folder, 'accounts', 'create', '--name', 'acme', '--package', 'tiny')
      const { key } = JSON.parse(unmask(product.folder, 'keys', 'create', '--name', 'k', '--account', 'acme', '--json'))
      while (!/https:\/\/127\.0\.0\.1:\d+/.test(output)) await once(joined.stdout, 'data')
      const second = { ...product.ready, baseUrl: /https:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '' }
      ok(second.baseUrl !== product.ready.baseUrl)
      const calls = Array.from({ length: 24 }, (_, i) =>
        product.ask(new URL('/v1/chat/completions', i % 2 === 0 ? product.ready.baseUrl : second.baseUrl).href, {
          body: question(`Say ${i}.`, { max_tokens: 4 }),
          key,
        }),
      )
      const statuses = (await Promise.all(calls)).map((answer) => answer.status)
      deepEqual(
        [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length],
        [11, 13],
      )
    } finally {
      joined.kill('SIGTERM')
      await once(joined, 'exit')
      await product.stop()
    }
  })
})

describe('kill -9 of the server under load', () => {
  test('keys and the count of the day are there after the next start, and no engine is left behind', async () => {
    const product = await startProduct()
    const { key } = JSON.parse(unmask(product.folder, 'keys', 'create', '--name', 'kept', '--json'))
    unmask(product.folder, 'packages', 'set', 'tiny', '--chat-day', '3')
    unmask(product.folder, 'accounts', 'create', '--name', 'acme', '--package', 'tiny')
    const counted = JSON.parse(unmask(product.folder, 'keys', 'create', '--name', 'c', '--account', 'acme', '--json'))
    equal((await ask(product, question('Hello', { max_tokens: 4 }), counted.key)).status, 200)
    const [engine = 0] = childrenOf(product.ready.pid, 'engine')
    const running = Array.from({ length: 4 }, (_, i) =>
      ask(product, question(`Tell me story ${i}.`, { max_tokens: 2000 })).catch(() => undefined),
    )
    await pause(300)
    await product.kill()
    await Promise.all(running)
    const goneBy = performance.now() + 2000
    while (isRunning(engine) && performance.now() < goneBy) await pause(20)
    ok(!isRunning(engine), 'the engine ended with its parent')
    const again = await startProduct({ folder: product.folder })
    try {
      equal((await ask(again, question('Hello', { max_tokens: 4 }), key)).status, 200)
      const report = (await again.ask('/v1/key', { key: counted.key })).text
      match(report, /"remaining":\s*2/)
    } finally {
      await again.stop()
    }
  })
})
