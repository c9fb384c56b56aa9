import { equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { testClients } from '../clients/clients.contract.ts'
import { runPythonClients } from '../clients/python-clients.ts'
import { startProduct } from '../support/product.ts'

/** The same promises as in clients.test.ts, kept by `./unmask serve` with the models that come with it. */
const product = await startProduct()
after(() => product.stop())
const target = { baseUrl: product.ready.baseUrl, key: product.key, ca: product.ca }

testClients(target)

describe('openai and langchain-openai from PyPI', () => {
  test('keep every scenario', async () => {
    for (const { name, error } of await runPythonClients(target)) equal(error, null, `${name}: ${error}`)
  })
})
