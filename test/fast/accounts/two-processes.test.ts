// `serve --join`: several processes on one data folder.
import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Order } from '../../support/accounts-child.ts'
import type { TestAccounts } from '../../support/accounts.ts'
import { createTestKey, newFolder, openTestAccounts } from '../../support/accounts.ts'

const CHILD = new URL('../../support/accounts-child.ts', import.meta.url)

async function startProcesses(context: TestContext, folder: string, count: number): Promise<ChildProcess[]> {
  const children = Array.from({ length: count }, () => fork(CHILD, [folder]))
  context.after(() => children.forEach((child) => child.kill()))
  await Promise.all(children.map((child) => once(child, 'message', { signal: AbortSignal.timeout(60_000) })))
  return children
}

async function ask(child: ChildProcess, order: Order): Promise<unknown> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(60_000) })
  child.send(order)
  return (await answer)[0]
}

async function openWithLimit(context: TestContext, day: number): Promise<TestAccounts> {
  const opened = await openTestAccounts(context)
  const limits = { minute: undefined, day, concurrent: 4 }
  await opened.accounts.setPackage({ name: 'day', limits: { chat: limits, search: limits } })
  return opened
}

test('started at once on an empty folder, exactly one makes the local operator', async (context) => {
  const children = await startProcesses(context, newFolder(context), 4)
  const answers = await Promise.all(children.map((child) => ask(child, { verb: 'ensure' })))
  deepEqual(answers.toSorted(), ['created', 'present', 'present', 'present'])
})

test('the daily count is exact: two processes of 600 attempts each, a limit of 700, 700 granted', async (context) => {
  const { accounts, folder } = await openWithLimit(context, 700)
  const { key } = await createTestKey(accounts, { package: 'day' })
  const children = await startProcesses(context, folder, 2)
  const order: Order = { verb: 'spend', key, count: 600, refundEach: 0 }
  const answers = (await Promise.all(children.map((child) => ask(child, order)))) as { granted: number }[]
  equal(
    answers.reduce((sum, answer) => sum + answer.granted, 0),
    700,
  )
  ok(
    answers.every((answer) => answer.granted > 0),
    'both took part',
  )
  equal(accounts.limits(key, 'chat').day?.remaining, 0)
  equal(accounts.report(key).usedToday.chat, 700)
})

test('refunds of two processes lose nothing: what is used is what was settled', async (context) => {
  const { accounts, folder } = await openWithLimit(context, 300)
  const { key } = await createTestKey(accounts, { package: 'day' })
  const children = await startProcesses(context, folder, 2)
  const order: Order = { verb: 'spend', key, count: 400, refundEach: 3 }
  const answers = (await Promise.all(children.map((child) => ask(child, order)))) as { settled: number }[]
  const settled = answers.reduce((sum, answer) => sum + answer.settled, 0)
  equal(accounts.report(key).usedToday.chat, settled)
  ok(settled <= 300 && settled >= 298, `${settled} settled`)
})

test('a revocation, a suspension and a rotation hold in the other process at once', async (context) => {
  const { accounts, folder } = await openTestAccounts(context)
  const { key, secret } = await createTestKey(accounts)
  const [child] = await startProcesses(context, folder, 1)
  ok(child)
  const verify = (each: string): Promise<unknown> => ask(child, { verb: 'verify', secret: each })
  equal(await verify(secret), 'valid')
  await accounts.setSuspended({ account: 'ann', suspended: true })
  equal(await verify(secret), 'account_disabled')
  await accounts.setSuspended({ account: 'ann', suspended: false })
  const turned = await accounts.rotateKey({ id: key.id, overlapMs: 0 })
  ok(turned.kind === 'rotated')
  deepEqual([await verify(secret), await verify(turned.secret)], ['expired', 'valid'])
  await accounts.revokeKey({ id: key.id })
  equal(await verify(turned.secret), 'revoked')
})

test('keys made by two processes at once all work, and the audit stays one whole chain', async (context) => {
  const { accounts, folder } = await openTestAccounts(context)
  await accounts.createAccount({ name: 'ann', package: 'free' })
  const children = await startProcesses(context, folder, 2)
  const order: Order = { verb: 'create', account: 'ann', count: 25 }
  const secrets = (await Promise.all(children.map((child) => ask(child, order)))).flat() as string[]
  equal(secrets.length, 50)
  for (const secret of secrets) equal(accounts.verifyKey(secret).kind, 'valid')
  deepEqual(await accounts.checkAudit(), { kind: 'whole', entries: 51 })
})
