import type { Origin } from '../domain/origin.ts';
import { queueMail } from '../services/mail/queue.ts';
import type { TemplateName, Values } from '../services/mail/templates.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

interface News {
  readonly userId: number;
  readonly template: TemplateName;
  /** What the template names, apart from the user name. */
  readonly values?: Values;
  readonly sendsMail: boolean;
  readonly now: number;
  /** Null for a command. */
  readonly origin: Origin | null;
}

/** Tells the owner of an account by mail what was done to it, as the last part of the write that did it. */
export async function tellOwner(db: Db, news: News, engine: Engine): Promise<void> {
  const { userId, template, sendsMail, now, origin } = news;
  if (!sendsMail) return;
  const { username, email: recipient } = await db
    .selectFrom('users')
    .select(['username', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const values = { username, ...news.values };
  await queueMail(db, { accountId: userId, recipient, template, values, now, origin }, engine);
}
