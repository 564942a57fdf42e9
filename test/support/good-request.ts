import { confirmEmailChange } from '../../src/addresses/confirm-change.ts';
import { requestEmailChange } from '../../src/addresses/request-change.ts';
import { hashOfToken } from '../../src/domain/token-hash.ts';
import { requestVerification } from '../../src/services/links/verification.ts';
import { Authenticator } from './authenticator.ts';
import { type Account, login, newName, PASSWORD } from './client.ts';
import type { Route } from './contract.ts';
import { askToChange, newTestLink, newUnproven } from './email.ts';
import { mailLink } from './mail.ts';
import { creationOptions, newPasskey, requestOptions } from './passkeys.ts';
import { freshBody } from './samples.ts';
import { beginTotp, challengeOf, codeOf, guard } from './second-factor.ts';
import type { RunningService } from './service.ts';
import { newPath, sessionIdOf } from './target-of-route.ts';

/** The clock of a service that is asked by `goodRequest` stands still, so that no code of an app is too old. */
export const NOW = Date.now();
/** Each from elsewhere, because few mails are sent on behalf of one source. */
const newOrigin = () => ({ address: '127.0.0.1', source: newName('source'), requestId: 'r' });

/** Members of bodies that lead to something that has to be there before, by operation. It belongs to the owner. */
const PREPARED: Record<string, (service: RunningService, owner: Account) => Promise<object>> = {
  login: async (_, { username }) => ({ username }),
  restoreAccount: async (_, { username }) => ({ username }),
  completeLogin: async ({ url }, owner) => {
    const { username, code } = await guard(url, owner, NOW);
    return { challenge: await challengeOf(url, username), code: code() };
  },
  addPasskey: async ({ url }, { token }) => ({
    response: new Authenticator().create(await creationOptions(url, token)),
  }),
  loginWithPasskey: async ({ url }, owner) => {
    const { authenticator } = await newPasskey(url, owner);
    return { response: authenticator.get(await requestOptions(url)) };
  },
  confirmTotp: async ({ url }, { token }) => ({ code: codeOf(await beginTotp(url, token), NOW) }),
  removeTotp: guarded,
  createRecoveryCodes: guarded,
  changePassword: async () => ({ current_password: PASSWORD, new_password: PASSWORD }),
  resetPassword: async (service) => {
    const { id } = await newUnproven(service);
    return { token: await mailLink(service, id, Date.now(), newOrigin()) };
  },
  resendEmailChange: changing,
  withdrawEmailChange: changing,
  verifyEmail: async (service) => {
    const { token, link } = newTestLink(service);
    const { id: userId } = await newUnproven(service);
    await service.store.write(requestVerification, { userId, link, now: Date.now(), origin: newOrigin() });
    return { token };
  },
  confirmEmailChange: async (service) => ({ token: await newChangeLink(service) }),
  revertEmailChange: async (service) => {
    const { token, link: undo } = newTestLink(service);
    const tokenHash = hashOfToken(await newChangeLink(service));
    const change = { tokenHash, undo, now: Date.now(), origin: newOrigin() };
    await service.store.write(confirmEmailChange, change);
    return { token };
  },
};

async function guarded({ url }: RunningService, owner: Account): Promise<object> {
  await guard(url, owner, NOW);
  return {};
}

async function changing({ url }: RunningService, { token }: Account): Promise<object> {
  await askToChange(url, token, `${newName()}@example.org`);
  return {};
}

/** The token of a link that changes the address of an account. */
async function newChangeLink(service: RunningService): Promise<string> {
  const { token, link } = newTestLink(service);
  const { id: userId, username } = await newUnproven(service);
  const sessionId = sessionIdOf((await login(service.url, username)).token);
  const email = `${newName()}@example.org`;
  const asked = { caller: { userId, sessionId }, now: Date.now(), origin: newOrigin() };
  await service.store.write(requestEmailChange, { email, link, ...asked });
  return token;
}

/**
 * The operation that only a service without an admin answers with 200. The services here have admins, so it needs one of
 * its own (test/setup).
 */
export const OF_THE_FIRST_START = 'setUp';

/** Operations after which the account or its session is not as it was. */
export const USES_UP: ReadonlySet<string> = new Set([
  ...Object.keys(PREPARED),
  'removePasskey',
  'updatePasskey',
  'closeAccount',
  'logout',
  'refresh',
]);

/** A request that the route answers with 200 where its access allows it: the sample of the document, about what the owner has. */
export async function goodRequest(
  service: RunningService,
  { path, operation }: Route,
  owner: Account,
): Promise<{ path: string; body?: object }> {
  const sample = freshBody(operation);
  const prepared = await PREPARED[operation.operationId]?.(service, owner);
  const target = await newPath(service.url, path, owner);
  return { path: target, ...(sample && { body: { ...sample, ...prepared } }) };
}
