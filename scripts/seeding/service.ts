import { pino } from 'pino';
import { type Assembly, buildApp } from '../../src/app.ts';
import type { Item } from './items.ts';
import type { Person } from './people.ts';

/** The age of the first account, in milliseconds. */
const HISTORY_MS = 90 * 86_400_000;
/** The time between two groups of registrations in milliseconds, so that times differ as in real use. */
const STEP_MS = 5 * 60_000;
/** Registrations at the same time: enough for all hashing threads. */
const AT_ONCE = 8;

/** The service without a port. Its clock runs through the last three months. */
export async function openService(parts: Pick<Assembly, 'config' | 'store' | 'hashing'>) {
  let now = Date.now() - HISTORY_MS;
  const app = await buildApp({ ...parts, logger: pino({ level: 'silent' }), clock: () => now });
  const post = async (url: string, payload: object, token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await app.inject({ method: 'POST', url, payload, headers });
    if (answer.statusCode !== 200) throw new Error(`POST ${url} answered ${answer.body}`);
    return answer.json().data;
  };
  return {
    registerAll: async (everybody: readonly Person[], password: string): Promise<void> => {
      for (let first = 0; first < everybody.length; first += AT_ONCE) {
        const group = everybody.slice(first, first + AT_ONCE);
        await Promise.all(
          group.map(({ username, email }) => post('/api/auth/register', { username, email, password })),
        );
        now += STEP_MS;
      }
    },
    createAll: async (username: string, password: string, items: readonly Item[]): Promise<void> => {
      // Each author writes on another day, and none in the future.
      now = Math.min(now + 86_400_000, Date.now());
      const { token } = await post('/api/auth/login', { username, password });
      for (const item of items) await post('/api/content', item, token);
    },
    close: () => app.close(),
  };
}
