import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOON, openTestAccounts } from '../../../test/support/accounts.ts'

describe('the first start', () => {
  test('makes the local operator, verified by machine, with a key that works; told once', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const first = await accounts.ensureLocalOperator()
    ok(first.kind === 'created')
    deepEqual(
      { ...first.account, id: '' },
      {
        id: '',
        name: 'local-operator',
        package: 'operator',
        identity: 'verified',
        identityMethod: 'machine',
        suspendedAt: undefined,
        createdAt: NOON,
      },
    )
    equal(accounts.verifyKey(first.secret).kind, 'valid')
    deepEqual(await accounts.ensureLocalOperator(), { kind: 'present', account: first.account })
    equal((await accounts.listKeys()).length, 1)
  })
  test('then a key with a name alone is the local operator’s, for chat and search', async (context) => {
    const { accounts } = await openTestAccounts(context)
    await accounts.ensureLocalOperator()
    const made = await accounts.createKey({ name: 'laptop' })
    ok(made.kind === 'created')
    deepEqual(made.key.scopes, ['chat', 'search'])
    equal((await accounts.listKeys('local-operator')).length, 2)
  })
})

describe('creating an account', () => {
  test('makes it verified, and says that an operator did', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const made = await accounts.createAccount({ name: 'ann', package: 'free' })
    ok(made.kind === 'created')
    deepEqual([made.account.identity, made.account.identityMethod], ['verified', 'operator'])
    match(made.account.id, /^acct_[0-9A-Za-z]{16}$/)
    deepEqual(await accounts.listAccounts(), [made.account])
  })
  const refusals: [string, string, string, RegExp][] = [
    ['ann', 'free', 'name_taken', /Choose another name/],
    ['bob', 'gold', 'package_unknown', /Packages: free, operator/],
    ['', 'free', 'name_invalid', /1 to 80/],
    ['acct_1', 'free', 'name_invalid', /does not begin with acct_/],
  ]
  for (const [name, packageName, reason, sentence] of refusals) {
    test(`"${name}" with ${packageName}: ${reason}`, async (context) => {
      const { accounts } = await openTestAccounts(context)
      await accounts.createAccount({ name: 'ann', package: 'free' })
      const made = await accounts.createAccount({ name, package: packageName })
      ok(made.kind === 'refused' && made.reason === reason)
      match(made.message, sentence)
      equal((await accounts.listAccounts()).length, 1)
    })
  }
})
