import { findAccountId } from '../accounts/find.ts';
import { type EventRow, walkEvents } from '../audit/list.ts';
import type { Config } from '../config.ts';
import { notFound } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { isoTime } from '../domain/time.ts';
import { EVENTS } from '../services/audit/events.ts';
import { withStore } from './with-store.ts';

const MOST_LINES = 10_000;
const EVENT_WIDTH = Math.max(...EVENTS.map(({ length }) => length));

interface Wanted {
  readonly event?: string;
  /** User name or e-mail address. */
  readonly account?: string;
  readonly limit: string;
}

/** Prints the latest events, one on each line, the newest last. A server may run meanwhile. */
export async function printAudit(config: Config, wanted: Wanted): Promise<void> {
  const [event, limit] = [eventNamed(wanted.event), limitOf(wanted.limit)];
  await withStore(config, async (store) => {
    const account =
      wanted.account === undefined ? undefined : await store.read(findAccountId, wanted.account);
    if (account === null) throw notFound('account');
    const { items } = await store.read(walkEvents, { after: undefined, per_page: limit, event, account });
    process.stdout.write(items.toReversed().map(lineOf).join(''));
  });
}

function eventNamed(name: string | undefined) {
  const event = EVENTS.find((each) => each === name);
  if (name === undefined || event !== undefined) return event;
  throw new OperatorError(`The event must be one of ${EVENTS.join(', ')}, not "${name}".`);
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MOST_LINES) return limit;
  throw new OperatorError(`The limit must be a whole number from 1 to ${MOST_LINES}, not "${text}".`);
}

/** The time, the event and the account, then every other field of the event as `name=value`. */
function lineOf(row: EventRow): string {
  const { actor_name: by, address, request_id: request, session_id: session, times } = row;
  const detail = JSON.parse(row.detail) as Record<string, string>;
  const rest = { ...detail, by, address, request, session, times: times === 1 ? null : times };
  const account = row.account_name ?? (row.account_id === null ? '-' : `account ${row.account_id}`);
  const words = [isoTime(row.at), row.event.padEnd(EVENT_WIDTH), account];
  for (const [name, value] of Object.entries(rest)) if (value !== null) words.push(`${name}=${value}`);
  return `${words.join('  ')}\n`;
}
