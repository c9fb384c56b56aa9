import { createHmac } from 'node:crypto'

/** HMAC-SHA256 under the server's pepper: a stolen database alone lets nobody test a guessed key. */
export function hashKey(pepper: Buffer, token: string): string {
  return createHmac('sha256', pepper).update(token).digest('base64url')
}
