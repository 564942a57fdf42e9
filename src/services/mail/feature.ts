import type { Job } from '../../domain/jobs.ts';
import type { Store } from '../../store/store.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { claimDueMails, hasDueMail, removeSentMail, type WaitingMail } from './outbox.ts';
import { placeOfSecret } from './queue.ts';
import { type MailLog, type ReadyMail, refusalOf, sendMail } from './send.ts';
import type { MailSettings } from './settings.ts';
import { render, type Values } from './templates.ts';

const EVERY_MS = 1_000;
/** Shorter than the shortest pause between two attempts, so that no two attempts of a mail run at once. */
const ATTEMPT_MS = 45_000;

interface Parts {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly settings: MailSettings;
  readonly log: MailLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Sends what waits in the outbox. Nobody waits for a mail server but this job. */
export function mailJob(parts: Parts): Job {
  return { name: 'sending mail', every: EVERY_MS, run: (stopping) => sendDueMails(parts, stopping) };
}

/** True where more may be due. */
async function sendDueMails(parts: Parts, stopping: AbortSignal): Promise<boolean> {
  const { store, log, clock } = parts;
  const now = clock();
  if (!(await store.read(hasDueMail, now))) return false;
  const { mails, givenUp } = await store.write(claimDueMails, now);
  for (const { id, template, attempts } of givenUp)
    log.warn({ mail: id, template, attempts }, 'a mail could not be sent, and was given up');
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(ATTEMPT_MS)]);
  const attempts = await Promise.allSettled(mails.map((mail) => attempt(parts, mail, signal)));
  tellFailures(attempts, log);
  return true;
}

async function attempt({ store, sealing, settings, log }: Parts, mail: WaitingMail, signal: AbortSignal) {
  const { id, recipient, template, secret_sealed } = mail;
  const values: Values = {
    ...(JSON.parse(mail.template_values) as Values),
    public_url: settings.publicUrl,
    ...(secret_sealed === null ? {} : { token: sealing.unseal(placeOfSecret(id), secret_sealed) }),
  };
  const ready: ReadyMail = { id, recipient, ...render(settings.templates[template], values) };
  await sendMail(settings, ready, { log, signal });
  await store.write(removeSentMail, id);
}

/** One line for a run, however many mails the mail server refused. */
function tellFailures(attempts: readonly PromiseSettledResult<void>[], log: MailLog): void {
  const causes = attempts.flatMap((each) => (each.status === 'rejected' ? [refusalOf(each.reason)] : []));
  if (causes.length === 0) return;
  log.warn(
    { mails: causes.length, cause: [...new Set(causes)].join(', ') },
    'mail was not taken; trying again',
  );
}
