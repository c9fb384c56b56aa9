/** The accounts cannot be opened or used as they are; the message is a sentence for the operator and says what to do. */
export class AccountsError extends Error {
  override name = 'AccountsError'
}
