import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { hasCode } from '../../src/domain/reason.ts';
import type { Envelope } from './client.ts';
import type { Lifetime } from './engines.ts';

/** A client that sends one request after another, as a proxy in front of several instances does. */
export interface FailoverClient {
  /** Resolves with the `data` of the answer. Fails unless an instance answers 200. */
  readonly send: (method: string, path: string, token: string, body?: object) => Promise<Envelope['data']>;
}

/** A 503 after this time comes from the time limits of the database, which a busy machine exceeds. */
const WAITED_MS = 1_000;

/**
 * Keeps one connection to each instance. A request goes to the instance of the last one, and to the next where the
 * connection is refused, and only there: nothing was sent then. One that has waited for the database in vain is sent
 * again, as its answer says. An instance that refuses at once, because it stops, has lost a request.
 */
export function failoverClient(t: Lifetime, urls: readonly string[]): FailoverClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  let current = 0;
  return {
    async send(method, path, token, body) {
      for (let tries = 1; ; tries++) {
        const began = performance.now();
        try {
          const { code, ...rest } = await sendTo(
            agent,
            urls[current % urls.length] + path,
            method,
            token,
            body,
          );
          if (code === 503 && performance.now() - began > WAITED_MS) {
            tries--;
            continue;
          }
          assert.equal(code, 200, JSON.stringify(rest));
          return rest.data;
        } catch (error) {
          if (!hasCode(error, 'ECONNREFUSED') || tries === urls.length) throw error;
          current++;
        }
      }
    },
  };
}

function sendTo(agent: Agent, url: string, method: string, token: string, body?: object): Promise<Envelope> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      json(response).then((envelope) => resolve(envelope as Envelope), reject);
    });
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}
