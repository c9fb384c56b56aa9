import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { EventStream } from './sse.ts'

const SLOW = { keepAliveMs: 60_000, stallMs: 60_000 }
const BIG = { text: 'x'.repeat(1_000_000) }

/** A response that is open, and the client's side of it. */
async function pair(): Promise<[ServerResponse, IncomingMessage]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const asked = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).end()
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  response.writeHead(200).flushHeaders()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return [response, answer.pause()]
}

/** Sends more than the sockets between hold; resolves once all of it is taken or the reader is gone. */
async function sendMuch(stream: EventStream): Promise<void> {
  for (let i = 0; i < 32; i++) await stream.send(BIG)
}

test('a send waits for the reader, and goes on when it reads', async () => {
  const [response, answer] = await pair()
  const stream = new EventStream(response, SLOW)
  const waiting = sendMuch(stream).then(() => 'sent')
  const turn = new Promise((resolve) => setImmediate(() => resolve('waits')))
  equal(await Promise.race([waiting, turn]), 'waits')
  answer.resume()
  equal(await waiting, 'sent')
  ok(stream.open)
  stream.end()
  await once(answer, 'end')
})

test('a reader that has gone frees the writer', async () => {
  const [response, answer] = await pair()
  const stream = new EventStream(response, SLOW)
  const waiting = sendMuch(stream)
  answer.on('error', () => undefined)
  answer.destroy()
  await waiting
  await stream.send(BIG)
  equal(stream.open, false)
})

test('a reader that takes nothing for too long is cut off', async () => {
  const [response, answer] = await pair()
  answer.on('error', () => undefined)
  const stream = new EventStream(response, { keepAliveMs: 60_000, stallMs: 50 })
  await sendMuch(stream)
  equal(stream.open, false)
})
