import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from './open-engine.ts'
import { testSearchIndex } from './search-index.contract.ts'
import { sqliteEngine } from './sqlite/engine.ts'
import { findTantivyEngine } from './tantivy/engine.ts'

testSearchIndex(sqliteEngine)

const tantivy = findTantivyEngine()
if (tantivy !== undefined) testSearchIndex(tantivy)

test('there is an engine on every platform', () => {
  ok(['tantivy', 'sqlite'].includes(openEngine('auto').name))
})
