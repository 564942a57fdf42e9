/**
 * The names that writes lock (`Engine.lock`), where two writes must not decide at once, or two instances must not work
 * at once. On PostgreSQL the name is the key of an advisory lock. After a change of a name, instances of the two
 * versions do not lock each other out.
 */
export type LockName =
  /**
   * Shared by the writes that an account asks for, held alone by those that change the account or end its sessions. A
   * lock of its row is not enough: PostgreSQL lets new share lockers of a row pass a write that waits for the row.
   */
  | `account ${number}`
  | 'admins'
  | 'content search'
  | 'content search cleaning'
  | `content slug ${string}`
  | 'counting labels'
  | 'emptying the trash'
  | 'freeing names'
  | `idempotency key ${string}`
  | `idempotency keys of ${number}`
  | 'importing content'
  | 'invitations'
  | 'naming items'
  | 'numbering changes'
  | 'pending registrations'
  | `personal tokens of ${number}`
  /** Otherwise writes that prove the same address would deadlock on one another's rows. */
  | 'proving addresses'
  | 'queueing mail'
  /** Held by every write that removes a part of an account. */
  | 'removing accounts'
  | 'removing expired rows'
  | 'removing old changes'
  | 'removing old versions'
  | 'renaming labels'
  | `scheduled drafts of ${number}`
  | 'sending mail'
  | 'sending webhooks'
  | 'signing keys';
