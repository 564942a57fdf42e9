import { HOUR_MS } from '../../src/domain/time.ts';
import { keyOf, type SharedLimit } from '../../src/services/limits/shared.ts';
import { countMistake } from '../../src/services/limits/wrong-passwords.ts';
import type { Store } from '../../src/store/store.ts';
import { type Answer, call, PASSWORD } from './client.ts';
import type { Lifetime, TestEngine } from './engines.ts';
import { type Differences, type RunningService, startService } from './service.ts';

export const WRONG = 'wrong password';

/**
 * A service that trusts a proxy to say where a request comes from (`from` of `signIn`). Its clock stands still
 * until a test moves it.
 */
export async function startBehindProxy(
  t: Lifetime,
  engine: TestEngine,
  settings: Record<string, string> = {},
  differences: Differences = {},
): Promise<RunningService> {
  const start = Date.UTC(2030, 0, 1);
  const proxied = { TRUST_PROXY: '127.0.0.1', ...settings };
  return startService(t, engine, proxied, { clock: () => start, ...differences });
}

/** Sends a password. `from` is the address of the client, as a proxy would give it. */
export function signIn(url: string, username: string, password = PASSWORD, from?: string): Promise<Answer> {
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  return call(url, 'POST', '/api/auth/login', { body: { username, password }, headers });
}

/** The statuses of `count` requests, one after another. */
export async function statuses(count: number, send: (index: number) => Promise<Answer>): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index++) seen.push((await send(index)).status);
  return seen;
}

/** Spends a budget of an account by so many, as many of what it counts would. */
export function spend(
  store: Store,
  kind: SharedLimit,
  spent: { readonly id: number; readonly times: number; readonly perHour: number; readonly now: number },
): Promise<void> {
  const { id, times, perHour, now } = spent;
  const charges = [{ key: keyOf(kind, id), everyMs: (times * HOUR_MS) / perHour, withinMs: HOUR_MS }];
  return store.write(countMistake, { charges, now });
}

/** The status 401 so many times, and then the given ones. */
export function refusedThen(count: number, ...next: number[]): number[] {
  return [...Array<number>(count).fill(401), ...next];
}
