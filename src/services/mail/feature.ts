import { readingsBy, readingsOf } from '../../domain/metrics.ts';
import type { Tracing } from '../../domain/tracing.ts';
import type { OpenFeature } from '../../feature.ts';
import type { Store } from '../../store/store.ts';
import type { Sealing } from '../sealing/sealing.ts';
import type { OutboxState } from './check-contract.ts';
import { claimDueMails, lookIntoOutbox, removeMail, type WaitingMail } from './outbox.ts';
import { placeOfMailSecret } from './queue.ts';
import { FULL_FROM } from './room.ts';
import { isRecipientRefused, type MailLog, type ReadyMail, refusalOf, sendMail } from './send.ts';
import type { MailSettings } from './settings.ts';
import { render, type Values } from './templates.ts';

const EVERY_MS = 1_000;
/** Shorter than the shortest pause between two attempts, so that two attempts of a mail never overlap. */
export const ATTEMPT_MS = 45_000;

interface Parts {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly settings: MailSettings;
  readonly log: MailLog;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly tracing: Tracing | undefined;
}

interface Context extends Omit<Parts, 'settings'> {
  /** Without `mail`, nothing is sent. */
  readonly config: { readonly mail: MailSettings | undefined };
}

/** Attempts since the start, by what came of them. */
function noAttempts() {
  return { taken: 0, refused: 0, failed: 0, given_up: 0 };
}

/** Brings the job that sends the mails of the outbox. Only this job waits for the mail server. */
export async function openMail({ config, ...others }: Context): Promise<OpenFeature> {
  if (!config.mail) return {};
  const parts: Parts = { ...others, settings: config.mail };
  const watch = watchOutbox(parts.log);
  const counts = noAttempts();
  const run = async (stopping: AbortSignal) => {
    const { hasDue, waiting } = await parts.store.read(lookIntoOutbox, parts.clock());
    watch.see(waiting);
    return hasDue && sendDueMails(parts, counts, stopping);
  };
  return {
    jobs: [{ name: 'sending mail', every: EVERY_MS, run }],
    checks: { outbox: watch.state },
    readings: () => readingsBy('stoa_mail_attempts_total', 'outcome', counts),
    measure: async () => {
      const { waiting } = await parts.store.read(lookIntoOutbox, parts.clock());
      return readingsOf({ stoa_mails_waiting: waiting });
    },
  };
}

/** True if more mails may be due. */
async function sendDueMails(
  parts: Parts,
  counts: ReturnType<typeof noAttempts>,
  stopping: AbortSignal,
): Promise<boolean> {
  const { store, log, clock } = parts;
  const now = clock();
  const { mails, givenUp } = await store.write(claimDueMails, now);
  for (const { id, template, attempts } of givenUp)
    log.warn({ mail: id, template, attempts }, 'a mail could not be sent, and was given up');
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(ATTEMPT_MS)]);
  const attempts = await Promise.allSettled(mails.map((mail) => attempt(parts, mail, signal)));
  counts.given_up += givenUp.length;
  for (const each of attempts) counts[each.status === 'fulfilled' ? each.value : 'failed']++;
  tellFailures(attempts, log);
  return true;
}

async function attempt(
  { store, sealing, settings, log, tracing }: Parts,
  mail: WaitingMail,
  signal: AbortSignal,
): Promise<'taken' | 'refused'> {
  const { id, recipient, template, secret_sealed } = mail;
  const values: Values = {
    ...(JSON.parse(mail.template_values) as Values),
    public_url: settings.publicUrl,
    ...(secret_sealed === null ? {} : { token: sealing.unseal(placeOfMailSecret(id), secret_sealed) }),
  };
  const ready: ReadyMail = { id, recipient, ...render(settings.templates[template], values) };
  let outcome: 'taken' | 'refused' = 'taken';
  try {
    const send = () => sendMail(settings, ready, { log, signal });
    await (tracing ? tracing.sending('send mail', send) : send());
  } catch (error) {
    if (!isRecipientRefused(error)) throw error;
    outcome = 'refused';
    const about = { mail: id, template, cause: refusalOf(error) };
    log.warn(about, 'the mail server refuses the recipient of a mail for good; the mail was removed');
  }
  await store.write(removeMail, id);
  return outcome;
}

/** Logs one line for a run, even if the mail server refused many mails. */
function tellFailures(attempts: readonly PromiseSettledResult<unknown>[], log: MailLog): void {
  const causes = attempts.flatMap((each) => (each.status === 'rejected' ? [refusalOf(each.reason)] : []));
  if (causes.length === 0) return;
  log.warn(
    { mails: causes.length, cause: [...new Set(causes)].join(', ') },
    'mail was not taken; trying again',
  );
}

/** The fullest first. */
const LEVELS = [
  { state: 'full', from: FULL_FROM.full, message: 'the outbox is full, so no mail is queued any more' },
  {
    state: 'accounts_only',
    from: FULL_FROM.accounts_only,
    message: 'the outbox has room only for mails to accounts',
  },
] as const;
/** A state ends only below this part of its number, so that the log has few lines around the limit. */
const HYSTERESIS = 0.9;

/**
 * Logs when the outbox gets full and when there is room again, and reports its state to /readyz. `see` is called with
 * the number of mails that wait now.
 */
export function watchOutbox(log: MailLog) {
  let current: OutboxState = 'ok';
  const see = (waiting: number) => {
    const level = LEVELS.find(({ state, from }) => waiting >= (state === current ? HYSTERESIS * from : from));
    const state = level?.state ?? 'ok';
    if (state === current) return;
    current = state;
    if (level) log.warn({ waiting }, level.message);
    else log.info({ waiting }, 'the outbox has room again');
  };
  return { see, state: () => current };
}
