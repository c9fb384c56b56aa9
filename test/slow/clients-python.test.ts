import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runPythonClients } from '../clients/python-clients.ts'
import { SEARCH_KEY, startServer } from '../support/api-server.ts'

const server = await startServer()
server.accounts.add('um_live_spent', {}, { day: 0, concurrent: 1 })

describe('openai and langchain-openai from PyPI', async () => {
  const scenarios = await runPythonClients(server.target, { searchKey: SEARCH_KEY, spentKey: 'um_live_spent' })
  for (const { name, error } of scenarios) test(name.replaceAll('_', ' '), () => equal(error, null, error ?? ''))
  test('a busy server was asked twice, a spent day once', () => {
    const lines = server.lines.filter((line) => line.event === 'request').map((line) => line.fields)
    const asked = (prompt: string) => server.engine.requests.filter(({ turns }) => turns[0]?.text === prompt).length
    deepEqual([asked('fail overloaded 0.01'), lines.filter(({ error }) => error === 'day_spent').length], [2, 1])
  })
})
