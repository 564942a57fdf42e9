import { answers, BODY_FAILURES, ok } from '../../http/envelope.ts';
import { LIMITS } from '../../http/limits.ts';
import { originOf } from '../../http/origin.ts';
import type { App } from '../../http/server.ts';
import { answerSignIn } from '../browser/answer-sign-in.ts';
import { LoginResult, refreshLink } from '../contract.ts';
import { deviceOf } from '../device.ts';
import type { AuthParts } from '../parts.ts';
import { completeSignIn } from './complete.ts';
import { SecondFactorAnswer } from './contract.ts';

export function completeSignInRoute(app: App, parts: AuthParts): void {
  app.post(
    '/api/auth/login/second-factor',
    {
      bodyLimit: LIMITS.passkeyBody,
      config: { access: 'public' },
      schema: {
        operationId: 'completeLogin',
        tags: ['auth'],
        summary: 'Complete a login with a second factor',
        description:
          'Takes the challenge of a login that was answered with second_factor_required. A challenge lives five minutes and takes five answers: a code each, or a use of a passkey for the options that the login was answered with.',
        body: SecondFactorAnswer,
        response: answers(LoginResult, 'An access token and a refresh token.', 401, ...BODY_FAILURES),
      },
      links: refreshLink,
    },
    async (request, reply) => {
      const device = deviceOf(request.headers['user-agent']);
      const { refresh_token_in: _, ...answer } = request.body;
      const result = await completeSignIn(parts, answer, { origin: originOf(request), device });
      return ok(answerSignIn(request, reply, result));
    },
  );
}
