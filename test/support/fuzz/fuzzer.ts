import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findRoute, ROUTES } from '../contract.ts';
import type { Callers } from './callers.ts';
import { MALFORMED } from './malformed.ts';
import { type FuzzRequest, REQUEST } from './requests.ts';
import { assertDescribed } from './verdict.ts';
import { exchange } from './wire.ts';

/** What one connection is opened for. */
type Shot =
  | { readonly kind: 'proper'; readonly requests: readonly FuzzRequest[] }
  | { readonly kind: 'malformed'; readonly requests: readonly [FuzzRequest] };

const alone = REQUEST.map((request): Shot => ({ kind: 'proper', requests: [request] }));
const pipelined = fc
  .array(REQUEST, { minLength: 2, maxLength: 6 })
  .map((requests): Shot => ({ kind: 'proper', requests }));
const malformed = MALFORMED.map((request): Shot => ({ kind: 'malformed', requests: [request] }));

/** A connection with a request, with several in a row, or with what is no proper HTTP. */
export const SHOT: fc.Arbitrary<Shot> = fc.oneof(
  { weight: 12, arbitrary: alone },
  { weight: 1, arbitrary: pipelined },
  { weight: 5, arbitrary: malformed },
);

/**
 * Operations that chance does not bring to a 200, because they need more: the secret of a mail, an authenticator, a site of
 * https for passkeys, the current password, an id of random characters. The others would end the sessions of the callers
 * (requests.ts), or their answer is streamed. Other tests have them.
 */
const BEYOND_CHANCE: ReadonlySet<string> = new Set([
  'POST /api/auth/password/reset',
  'POST /api/auth/email/verify',
  'POST /api/auth/email/confirm',
  'POST /api/auth/email/revert',
  'POST /api/auth/email/change/resend',
  'DELETE /api/auth/email/change',
  'POST /api/auth/restore',
  'POST /api/auth/password',
  'POST /api/auth/login/second-factor',
  'POST /api/auth/totp/confirm',
  'DELETE /api/auth/totp',
  'POST /api/auth/recovery-codes',
  'POST /api/auth/passkeys',
  'POST /api/auth/passkeys/options',
  'DELETE /api/auth/passkeys/{id}',
  'POST /api/auth/login/passkey',
  'POST /api/auth/login/passkey/options',
  'DELETE /api/auth/sessions/{id}',
  'DELETE /api/auth/tokens/{id}',
  'GET /api/users/me/export',
  'DELETE /api/users/me',
  'GET /api/users/{id}',
  'PUT /api/users/{id}',
  'DELETE /api/users/{id}',
  'DELETE /api/users/{id}/sessions',
  'GET /api/users/{id}/sessions',
  'DELETE /api/users/{id}/sessions/{session_id}',
  'GET /api/users/{id}/tokens',
  'DELETE /api/users/{id}/tokens/{token_id}',
  'DELETE /api/users/{id}/second-factors',
]);

/** Sends shots to a service, and holds every answer to the document. */
export class Fuzzer {
  readonly #port: number;
  readonly #callers: Callers;
  /** Answers by operation and status, `GET /api/users 200`; others are under `-`. */
  readonly #counts = new Map<string, number>();
  sent = 0;

  constructor(url: string, callers: Callers) {
    this.#port = Number(new URL(url).port);
    this.#callers = callers;
  }

  async send({ kind, requests }: Shot): Promise<void> {
    const heads = requests.map(({ head }) => this.#callers.fill(head));
    const bytes = Buffer.concat(requests.flatMap(({ body }, index) => [heads[index] ?? body, body]));
    const lines = heads.map((head) => requestLineOf(head.toString('latin1')));
    const methods = lines.map((line) => line.split(' ')[0] ?? '');
    this.sent += requests.length;
    try {
      const answers = await exchange(this.#port, bytes, { methods, isWhole: kind === 'proper' });
      if (kind === 'proper') assert.ok(answers.length > 0, 'There was no answer.');
      for (const [index, answer] of answers.entries()) {
        const head = requests[index]?.head ?? '';
        const line = lines[index] ?? '';
        assertDescribed(line, answer);
        this.#count(line, answer.status);
        await this.#callers.learn(head, answer);
      }
    } catch (error) {
      throw new Error(`${(error as Error).message}\nto ${kind} bytes: ${shown(bytes)}`, { cause: error });
    }
  }

  #count(line: string, status: number): void {
    const [method = '', target = ''] = line.split(' ');
    const route = findRoute(method, target.split('?')[0] ?? '');
    const key = `${route ? `${route.method} ${route.path}` : '-'} ${status}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** How many answers there were of each status. */
  get byStatus(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const [key, count] of this.#counts) {
      const status = key.slice(-3);
      sums[status] = (sums[status] ?? 0) + count;
    }
    return sums;
  }

  /** The documented 200 and 400 of operations that no answer had, though chance could bring them. */
  get notReached(): string[] {
    const wanted = ROUTES.flatMap(({ method, path, operation }) =>
      ['200', '400']
        .filter((status) => operation.responses[status])
        .filter((status) => status !== '200' || !BEYOND_CHANCE.has(`${method} ${path}`))
        .map((status) => `${method} ${path} ${status}`),
    );
    return wanted.filter((key) => !this.#counts.has(key));
  }
}

/** Empty lines before it do not count (RFC 9112, 2.2), nor does a bare CR. */
function requestLineOf(head: string): string {
  return head.split(/[\r\n]/).find((line) => line !== '') ?? '';
}

/** Short enough for a screen, and to be sent again as it is. */
function shown(bytes: Buffer): string {
  const part = JSON.stringify(bytes.toString('latin1', 0, 3_000));
  return bytes.length > 3_000 ? `${part} and ${bytes.length - 3_000} more` : part;
}
