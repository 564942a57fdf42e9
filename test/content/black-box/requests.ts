import assert from 'node:assert/strict';
import { type Account, type Answer, call, newAccount, newItem } from '../../support/client.ts';
import { newWithRole } from '../../support/people.ts';
import type { RunningService } from '../../support/service.ts';

/** Who sends a request; undefined is a stranger. */
export type Caller = Pick<Account, 'token'> | undefined;

/** The requests of a black box, which knows nothing but the URL of the service. */
export function requestsTo(service: () => RunningService) {
  const ask = (
    who: Caller,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    call(service().url, method, path, {
      token: who?.token,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  return {
    ask,
    /** The data of an answer that must be 200. */
    done: async (...request: Parameters<typeof ask>) => {
      const { status, body } = await ask(...request);
      assert.equal(status, 200, `${request[1]} ${request[2]}: ${JSON.stringify(body)}`);
      return body.data;
    },
    member: () => newAccount(service().url),
    editor: () => newWithRole(service(), 'editor'),
    admin: () => newWithRole(service(), 'admin'),
    /** A new item of the author's. */
    write: (author: Account, members: object = {}) => newItem(service().url, author.token, members),
  };
}

/** The tag of the representation that was answered. */
export const tagOf = ({ headers }: Answer) => headers.get('etag') ?? '';
