import type { Job } from '../../domain/jobs.ts';
import type { Store } from '../../store/store.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { claimDueMails, lookIntoOutbox, removeMail, type WaitingMail } from './outbox.ts';
import { placeOfSecret } from './queue.ts';
import { isRecipientRefused, type MailLog, type ReadyMail, refusalOf, sendMail } from './send.ts';
import type { MailSettings } from './settings.ts';
import { render, type Values } from './templates.ts';
import { type OutboxState, OutboxWatch } from './watch.ts';

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

interface OpenMail {
  /** Sends what waits in the outbox. Nobody waits for a mail server but this job. */
  readonly job: Job;
  readonly outbox: () => OutboxState;
}

export function openMail(parts: Parts): OpenMail {
  const watch = new OutboxWatch(parts.log);
  const run = async (stopping: AbortSignal) => {
    const { hasDue, waiting } = await parts.store.read(lookIntoOutbox, parts.clock());
    watch.see(waiting);
    return hasDue && sendDueMails(parts, stopping);
  };
  return { job: { name: 'sending mail', every: EVERY_MS, run }, outbox: () => watch.state };
}

/** True where more may be due. */
async function sendDueMails(parts: Parts, stopping: AbortSignal): Promise<boolean> {
  const { store, log, clock } = parts;
  const now = clock();
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
  try {
    await sendMail(settings, ready, { log, signal });
  } catch (error) {
    if (!isRecipientRefused(error)) throw error;
    const about = { mail: id, template, cause: refusalOf(error) };
    log.warn(about, 'the mail server refuses the recipient of a mail for good; the mail was removed');
  }
  await store.write(removeMail, id);
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
