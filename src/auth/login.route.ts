import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { answerSignIn } from './browser/answer-sign-in.ts';
import { Credentials, LoginResult, refreshLink, takesCredentials } from './contract.ts';
import { deviceOf } from './device.ts';
import { login } from './login.ts';
import type { AuthParts } from './parts.ts';

export function loginRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/login',
    {
      ...takesCredentials,
      config: { access: 'public', ignoresUnknown: true },
      schema: {
        operationId: 'login',
        tags: ['auth'],
        summary: 'Log in',
        description:
          'Begins a session. An unknown name and a wrong password get the same answer. Ten wrong passwords are free. Where the account has a second factor, a right password is answered 401 second_factor_required with a challenge for POST /api/auth/login/second-factor. After the right password alone the answer is 403 where the account is closed, has to choose a new password, or has an address to be proved (a link is mailed then).',
        body: Credentials,
        response: answers(LoginResult, 'An access token and a refresh token.', 401, 403, ...BODY_FAILURES),
      },
      links: refreshLink,
    },
    async (request, reply) => {
      const device = deviceOf(request.headers['user-agent']);
      const result = await login(parts, request.body, { origin: originOf(request), device });
      return ok(answerSignIn(request, reply, result));
    },
  );
}
