import { answers, answersAlways, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { LIMITS } from '../../http/limits.ts';
import { originOf } from '../../http/origin.ts';
import { RequestOptions } from '../../http/passkey-options.ts';
import type { App } from '../../http/server.ts';
import { answerSignIn } from '../browser/answer-sign-in.ts';
import { LoginResult, refreshLink } from '../contract.ts';
import { deviceOf } from '../device.ts';
import type { AuthParts } from '../parts.ts';
import { PasskeyLogin } from './contract.ts';
import { beginPasskeyLogin, loginWithPasskey } from './login.ts';

export function beginPasskeyLoginRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/login/passkey/options',
    {
      bodyLimit: LIMITS.authBody,
      config: { access: 'public' },
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

export function passkeyLoginRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/login/passkey',
    {
      bodyLimit: LIMITS.passkeyBody,
      config: { access: 'public' },
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
      const device = deviceOf(request.headers['user-agent']);
      const { response } = request.body;
      const result = await loginWithPasskey(parts, response, { origin: originOf(request), device });
      return ok(answerSignIn(request, reply, result));
    },
  );
}
