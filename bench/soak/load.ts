/** What clients do to a server all day, well and badly: each deed says what came of it. */
import { setTimeout } from 'node:timers/promises'
import { eventsOf, say, type HttpsClient } from '../../test/support/https-client.ts'

export type Random = () => number

/** Empty where the answer was the one that belongs to the deed; otherwise what was wrong with it. */
type Outcome = string

type Deed = (client: HttpsClient, random: Random) => Promise<Outcome>

/** Name → how often among the others, and the deed. */
export const DEEDS: Record<string, [weight: number, deed: Deed]> = {
  'streamed, short': [6, (client, random) => stream(client, random, 20, 64)],
  'streamed, long prompt': [2, (client, random) => stream(client, random, 200 + 900 * random(), 48)],
  'streamed, long reply': [1, (client, random) => stream(client, random, 40, 300)],
  'streamed with its steps': [1, (client, random) => stream(client, random, 20, 48, { diffusing: true })],
  whole: [4, whole],
  'a conversation of three turns': [2, converse],
  'left while streaming': [3, (client, random) => leave(client, random, true)],
  'left while waiting': [2, (client, random) => leave(client, random, false)],
  'refused request': [4, beRefused],
  search: [6, search],
  'page or list': [2, look],
}

export function pickDeed(random: Random): string {
  const all = Object.values(DEEDS).reduce((sum, [weight]) => sum + weight, 0)
  let left = random() * all
  for (const [name, [weight]] of Object.entries(DEEDS)) if ((left -= weight) < 0) return name
  return 'whole'
}

const WORDS =
  'harbour lighthouse ferry tide pilot anchor beacon compass story letter market garden river winter travel music bread teacher window summer'.split(
    ' ',
  )

function pick<T>(from: readonly [T, ...T[]], random: Random): T {
  return from[Math.floor(random() * from.length)] ?? from[0]
}

const wordOf = (random: Random): string => pick(WORDS as [string, ...string[]], random)

/** One of few beginnings, so that some are still cached, then words of its own. */
function prompt(words: number, random: Random): string {
  const beginning = `Number ${Math.floor(8 * random())} of my letters is about the sea and those who live beside it.`
  return `${beginning} ${Array.from({ length: words }, () => wordOf(random)).join(' ')}. What would you answer?`
}

function fields(random: Random, tokensMax: number): object {
  const model = random() < 0.6 ? 'Model' : 'Model-MoE'
  return {
    model,
    max_tokens: tokensMax,
    temperature: 0.1 + 0.9 * random(),
    ...(random() < 0.2 ? { stop: ['\n\n'] } : {}),
  }
}

async function stream(
  client: HttpsClient,
  random: Random,
  words: number,
  tokensMax: number,
  more: object = {},
): Promise<Outcome> {
  const wish = { ...fields(random, tokensMax), ...say(prompt(words, random)), ...more, stream: true }
  const reply = await client.chat(wish)
  if (reply.status !== 200) return `${reply.status}: ${reply.text.slice(0, 200)}`
  return eventsOf(reply.text).at(-1) === '[DONE]' ? '' : `a stream without its end: ${reply.text.slice(-200)}`
}

async function whole(client: HttpsClient, random: Random): Promise<Outcome> {
  const reply = await client.chat({ ...fields(random, 48), ...say(prompt(15, random)) })
  return reply.status === 200 ? '' : `${reply.status}: ${reply.text.slice(0, 200)}`
}

/** Each turn begins with all that was said before: its keys and values are there already. */
async function converse(client: HttpsClient, random: Random): Promise<Outcome> {
  const messages = [{ role: 'user', content: prompt(30, random) }]
  const wish = fields(random, 40)
  for (let turn = 0; turn < 3; turn++) {
    const reply = await client.chat({ ...wish, messages })
    if (reply.status !== 200) return `${reply.status}: ${reply.text.slice(0, 200)}`
    const content = reply.json<{ choices: { message: { content: string } }[] }>().choices[0]?.message.content ?? ''
    messages.push({ role: 'assistant', content }, { role: 'user', content: `And the ${wordOf(random)}?` })
  }
  return ''
}

async function leave(client: HttpsClient, random: Random, streaming: boolean): Promise<Outcome> {
  const abort = new AbortController()
  const body = JSON.stringify({
    ...fields(random, 400),
    ...say(prompt(20 + 300 * random(), random)),
    stream: streaming,
  })
  const asked = client.send('/v1/chat/completions', { body, signal: abort.signal }).then(
    ({ status, text }) => (status === 200 ? '' : `${status}: ${text.slice(0, 200)}`),
    (error: unknown) => (abort.signal.aborted ? '' : `broken off: ${String(error)}`),
  )
  await Promise.race([asked, setTimeout(2000 * random())])
  abort.abort()
  return asked
}

async function beRefused(client: HttpsClient, random: Random): Promise<Outcome> {
  const path = '/v1/chat/completions'
  const cases: [
    [number, string, Parameters<HttpsClient['send']>[1]],
    ...[number, string, Parameters<HttpsClient['send']>[1]][],
  ] = [
    [400, path, { body: '{"model":' }],
    [400, path, { body: JSON.stringify({ model: 'Model', ...say('Hello'), temperature: 9 }) }],
    [400, path, { body: JSON.stringify({ model: 'Model', messages: [] }) }],
    [400, path, { body: JSON.stringify({ model: 'Model', ...say('word '.repeat(9000)) }) }],
    [401, path, { body: JSON.stringify({ model: 'Model', ...say('Hello') }), key: 'um_live_nobody' }],
    [404, '/v1/nothing', {}],
    [405, path, { method: 'DELETE' }],
  ]
  const [expected, where, options] = pick(cases, random)
  const { status, text } = await client.send(where, options)
  return status === expected ? '' : `${status} instead of ${expected}: ${text.slice(0, 200)}`
}

async function search(client: HttpsClient, random: Random): Promise<Outcome> {
  const query = Array.from({ length: 1 + Math.floor(3 * random()) }, () => wordOf(random)).join(' ')
  const body = JSON.stringify({ query, count: 1 + Math.floor(20 * random()) })
  const reply = await client.send('/v1/web-search', { body })
  return reply.status === 200 ? '' : `${reply.status}: ${reply.text.slice(0, 200)}`
}

async function look(client: HttpsClient, random: Random): Promise<Outcome> {
  const { status, text } = await client.send(pick(['/v1/models', '/docs/', '/v1/key', '/search?q=tide'], random))
  return status === 200 ? '' : `${status}: ${text.slice(0, 200)}`
}
