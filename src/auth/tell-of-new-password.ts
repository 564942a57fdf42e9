import { queueMail } from '../services/mail/queue.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Tells the owner of an account that it has a new password, with the write that gives it one. */
export async function tellOfNewPassword(
  db: Db,
  { username, email }: { readonly username: string; readonly email: string },
  now: number,
  engine: Engine,
): Promise<void> {
  await queueMail(db, { recipient: email, template: 'password_changed', values: { username }, now }, engine);
}
