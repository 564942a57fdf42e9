import { PASSKEY_BODY, PasskeyLogin } from '../factors/passkeys/contract.ts';
import { RequestOptions } from '../factors/passkeys/options-contract.ts';
import { answers, answersAlways, BODY_FAILURES, ok } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import { LoginResult, refreshLink } from '../sessions/contract.ts';
import { answerSignIn } from '../sessions/refresh-cookie.ts';
import { clientOf } from './client.ts';
import type { SignInParts } from './parts.ts';
import { beginPasskeyLogin, loginWithPasskey } from './passkey.ts';

export function passkeyOptionsRoute(app: App, parts: SignInParts): void {
  app.post(
    '/api/auth/login/passkey/options',
    {
      config: { access: 'public', limits: [], shows: 'nothing' },
      schema: {
        operationId: 'beginPasskeyLogin',
        tags: ['auth'],
        summary: 'Begin to log in with a passkey',
        description:
          'No account is named: the browser lets the person choose. The challenge is good for five minutes and one login.',
        response: answersAlways(RequestOptions, 'What the browser needs.', 403, ...BODY_FAILURES),
      },
    },
    async () => ok(beginPasskeyLogin(parts)),
  );
}

export function passkeyRoute(app: App, parts: SignInParts): void {
  app.post(
    '/api/auth/login/passkey',
    {
      bodyLimit: PASSKEY_BODY,
      config: { access: 'public', limits: ['refusedPasskeys', 'passkey_sign_in'], shows: 'own' },
      schema: {
        operationId: 'loginWithPasskey',
        tags: ['auth'],
        summary: 'Log in with a passkey',
        description:
          'Begins a session, without a password. Whatever is wrong with the passkey, the answer is the same.',
        body: PasskeyLogin,
        response: answers(LoginResult, 'An access token and a refresh token.', 401, 403, ...BODY_FAILURES),
      },
      links: refreshLink,
    },
    async (request, reply) => {
      const result = await loginWithPasskey(parts, request.body.response, clientOf(request));
      return ok(answerSignIn(request, reply, result));
    },
  );
}
