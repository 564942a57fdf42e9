/** Locks of one thing each: what the name says of the thing. */
export interface LocksOfOne {
  /**
   * Shared by the writes that an account asks for, held alone by those that change the account or end its sessions. A
   * lock of its row is not enough: PostgreSQL lets new share lockers of a row pass a write that waits for the row.
   */
  readonly account: number;
  readonly 'content slug': string;
  /** Held by what adds up or repairs the counts of a table. */
  readonly 'counts of': string;
  readonly 'idempotency key': string;
  readonly 'idempotency keys of': number;
  readonly 'personal tokens of': number;
  readonly 'scheduled drafts of': number;
}

/**
 * The names that writes lock (`Engine.lock`), where two writes must not decide at once, or two instances must not work
 * at once. On PostgreSQL the name is the key of an advisory lock. After a change of a name, instances of the two
 * versions do not lock each other out.
 */
export type LockName =
  | { [Kind in keyof LocksOfOne]: `${Kind} ${LocksOfOne[Kind]}` }[keyof LocksOfOne]
  | 'admins'
  | 'content search'
  | 'content search cleaning'
  | 'counting labels'
  | 'emptying the trash'
  | 'freeing names'
  | 'importing content'
  | 'invitations'
  | 'naming items'
  | 'numbering changes'
  | 'pending registrations'
  /** Otherwise writes that prove the same address would deadlock on one another's rows. */
  | 'proving addresses'
  | 'queueing mail'
  /** Held by every write that removes a part of an account. */
  | 'removing accounts'
  | 'removing expired rows'
  | 'removing old changes'
  | 'removing old versions'
  | 'renaming labels'
  | 'sending mail'
  | 'sending webhooks'
  | 'signing keys';
