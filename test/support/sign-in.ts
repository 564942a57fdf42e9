import { type Answer, call, PASSWORD } from './client.ts';
import type { Lifetime, TestEngine } from './engines.ts';
import { type RunningService, startService } from './service.ts';

export const WRONG = 'wrong password';

/** A service behind a proxy that says who sends (`from` of `signIn`), whose clock stands still until it is moved. */
export async function startBehindProxy(
  t: Lifetime,
  engine: TestEngine,
  settings: Record<string, string> = {},
): Promise<RunningService> {
  const start = Date.UTC(2030, 0, 1);
  return startService(t, engine, { TRUST_PROXY: '127.0.0.1', ...settings }, { clock: () => start });
}

/** Sends a password; the address of the client is `from`, for whoever trusts the proxy that says so. */
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

/** So many times 401, and then what follows. */
export function refusedThen(count: number, ...next: number[]): number[] {
  return [...Array<number>(count).fill(401), ...next];
}
