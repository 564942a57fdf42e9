import type { Origin } from '../domain/origin.ts';
import { queueMail } from '../services/mail/queue.ts';
import type { TemplateName } from '../services/mail/templates.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

interface News {
  readonly userId: number;
  readonly template: TemplateName;
  readonly sendsMail: boolean;
  readonly now: number;
  readonly origin: Origin;
}

/** Tells the owner of an account by mail what was done to it, as the last part of the write that did it. */
export async function tellOwner(
  db: Db,
  { userId, template, sendsMail, now, origin }: News,
  engine: Engine,
): Promise<void> {
  if (!sendsMail) return;
  const { username, email } = await db
    .selectFrom('users')
    .select(['username', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const mail = { accountId: userId, recipient: email, template, values: { username } };
  await queueMail(db, { ...mail, now, origin }, engine);
}
