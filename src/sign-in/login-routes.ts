import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../domain/failure.ts';
import { SecondFactorAnswer } from '../factors/contract.ts';
import { PASSKEY_BODY, PasskeyLogin } from '../factors/passkeys/contract.ts';
import { RequestOptions } from '../factors/passkeys/options-contract.ts';
import { answers, answersAlways, BODY_FAILURES, ok } from '../http/envelope.ts';
import { sendFailure } from '../http/errors.ts';
import { normalised } from '../http/nfc.ts';
import { originOf } from '../http/origin.ts';
import type { App } from '../http/server.ts';
import { PASSWORD_BODY } from '../passwords/contract.ts';
import { LoginResult, refreshLink } from '../sessions/contract.ts';
import { type Client, deviceOf } from '../sessions/device.ts';
import { answerSignIn } from '../sessions/refresh-cookie.ts';
import { completeSignIn } from './complete.ts';
import { Credentials, type SecondFactorChallenge } from './contract.ts';
import { login } from './login.ts';
import type { SignInParts } from './parts.ts';
import { beginPasskeyLogin, loginWithPasskey } from './passkey.ts';

export function loginRoute(app: App, parts: SignInParts): void {
  app.post(
    '/api/auth/login',
    {
      ...normalised('username'),
      bodyLimit: PASSWORD_BODY,
      config: {
        access: 'public',
        limits: ['pair', 'source', 'strangers'],
        shows: 'own',
        ignoresUnknown: true,
      },
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
      const result = await login(parts, request.body, clientOf(request));
      if ('challenge' in result) return askForSecondFactor(request, reply, result);
      return ok(answerSignIn(request, reply, result));
    },
  );
}

export function completeRoute(app: App, parts: SignInParts): void {
  app.post(
    '/api/auth/login/second-factor',
    {
      bodyLimit: PASSKEY_BODY,
      config: { access: 'public', limits: ['second_factor', 'second_factor_known'], shows: 'own' },
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
      const { refresh_token_in: _, ...answer } = request.body;
      return ok(answerSignIn(request, reply, await completeSignIn(parts, answer, clientOf(request))));
    },
  );
}

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

function clientOf(request: FastifyRequest): Client {
  return { origin: originOf(request), device: deviceOf(request.headers['user-agent']) };
}

/** The password was right. To a client that knows no second factors this is a refusal, so the status is that of one. */
function askForSecondFactor(request: FastifyRequest, reply: FastifyReply, challenge: SecondFactorChallenge) {
  const message =
    'The password is right; send the challenge with a code or a passkey to complete the sign-in.';
  sendFailure(request, reply, new Failure({ error: 'second_factor_required', message, more: challenge }));
  return reply;
}
