import type {
  Accounts,
  Admission,
  CallUse,
  Key,
  KeyCheck,
  KeyReport,
  Limits,
  Scope,
} from '../../src/accounts/accounts.ts'

type Caps = { minute?: number; day?: number; concurrent: number }

/** Keys in a map, counters in memory: as honest as the door's contract, without a clock (nothing resets). */
export class FakeAccounts implements Accounts {
  readonly uses: { keyId: string; ended: 'settled' | 'refunded'; use: CallUse }[] = []
  #keys = new Map<string, { key: Key; caps: Caps; spent: { minute: number; day: number; running: number } }>()
  #rejected = new Map<string, 'revoked' | 'expired' | 'account_disabled'>()
  #count = 0

  /** Adds a key whose secret is `token`. */
  add(token: string, changes: Partial<Key> = {}, caps: Caps = { concurrent: 64 }): Key {
    const id = `key_${++this.#count}`
    const key: Key = {
      id,
      accountId: `account_${id}`,
      name: token,
      scopes: ['chat'],
      addresses: [],
      createdAt: 1_760_000_000_000,
      expiresAt: undefined,
      lastUsedAt: undefined,
      revokedAt: undefined,
      hint: `${token.slice(0, 8)}…`,
      outOfRangeSampling: undefined,
      ...changes,
    }
    this.#keys.set(token, { key, caps, spent: { minute: 0, day: 0, running: 0 } })
    return key
  }

  /** The key whose secret is `token`. */
  keyOf(token: string): Key {
    const row = this.#keys.get(token)
    if (row === undefined) throw new Error(`no key ${token}`)
    return row.key
  }

  reject(token: string, reason: 'revoked' | 'expired' | 'account_disabled'): void {
    this.#rejected.set(token, reason)
  }

  verifyKey(token: string): KeyCheck {
    const reason = this.#rejected.get(token)
    if (reason !== undefined) return { kind: 'rejected', reason }
    const row = this.#keys.get(token)
    return row === undefined ? { kind: 'rejected', reason: 'unknown' } : { kind: 'valid', key: row.key }
  }

  addressAllowed(key: Key, address: string): boolean {
    return key.addresses.length === 0 || key.addresses.includes(address)
  }

  async admit(key: Key, scope: Scope): Promise<Admission> {
    const { caps, spent } = this.#row(key)
    const refusals = [
      { reason: 'concurrent', full: spent.running >= caps.concurrent, retryAfterMs: 1000 },
      { reason: 'minute', full: caps.minute !== undefined && spent.minute >= caps.minute, retryAfterMs: 12_345 },
      { reason: 'day', full: caps.day !== undefined && spent.day >= caps.day, retryAfterMs: 40_000_000 },
    ] as const
    const refusal = refusals.find(({ full }) => full)
    if (refusal !== undefined) {
      return {
        kind: 'refused',
        reason: refusal.reason,
        retryAfterMs: refusal.retryAfterMs,
        limits: this.limits(key, scope),
      }
    }
    spent.running++
    spent.minute++
    spent.day++
    let open = true
    const end = (ended: 'settled' | 'refunded', use: CallUse): void => {
      if (!open) return
      open = false
      spent.running--
      if (ended === 'refunded') spent.day--
      this.uses.push({ keyId: key.id, ended, use })
    }
    return {
      kind: 'admitted',
      limits: this.limits(key, scope),
      ticket: { settle: (use) => end('settled', use), refund: (use) => end('refunded', use) },
    }
  }

  limits(key: Key, _scope: Scope): Limits {
    const { caps, spent } = this.#row(key)
    const minute = counter(caps.minute, spent.minute, 12.3)
    const day = counter(caps.day, spent.day, 40_000)
    return {
      ...(minute === undefined ? {} : { minute }),
      ...(day === undefined ? {} : { day }),
      concurrent: { limit: caps.concurrent, running: spent.running },
    }
  }

  report(key: Key): KeyReport {
    const limits = this.limits(key, 'chat')
    return {
      key,
      account: { id: key.accountId, name: 'Test', package: 'test' },
      limits: { chat: limits, search: limits },
      usedToday: { chat: this.#row(key).spent.day, search: 0 },
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #row(key: Key) {
    const row = [...this.#keys.values()].find((entry) => entry.key.id === key.id)
    if (row === undefined) throw new Error(`no key ${key.id}`)
    return row
  }
}

function counter(limit: number | undefined, used: number, resetS: number) {
  return limit === undefined ? undefined : { limit, remaining: Math.max(0, limit - used), resetS }
}
