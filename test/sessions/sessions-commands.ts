import assert from 'node:assert/strict';
import fc from 'fast-check';
import { disableAccount, enableAccount } from '../../src/accounts/administer.ts';
import { call, newName, PASSWORD, refresh } from '../support/client.ts';
import type { Fleet } from '../support/fleet.ts';
import { command, pick, type Weighted } from '../support/random-runs.ts';
import {
  accessOutcomes,
  begun,
  DAY,
  end,
  MINUTE,
  type ModelSession,
  refreshOutcomes,
  repeat,
  rotate,
  SECOND,
  type Sessions,
  SOON_MS,
} from './sessions-model.ts';

/** Hashing takes long: a sequence makes so many accounts and logs in so often at most. */
const [MOST_ACCOUNTS, MOST_LOGINS] = [2, 6];

export async function register(model: Sessions, fleet: Fleet, on: number): Promise<void> {
  const username = newName();
  const body = { username, email: `${username}@example.org`, password: PASSWORD };
  const { status } = await call(fleet.instance(on).url, 'POST', '/api/auth/register', { body });
  assert.equal(status, 200);
  model.accounts.push({ username, isDisabled: false });
}

export async function logIn(model: Sessions, fleet: Fleet, who: number, on: number): Promise<void> {
  model.logins++;
  const account = pick(model.accounts, who);
  const credentials = { username: account.username, password: PASSWORD };
  const { body } = await call(fleet.instance(on).url, 'POST', '/api/auth/login', { body: credentials });
  assert.equal(body.data.error ?? 'begun', account.isDisabled ? 'bad_credentials' : 'begun');
  if (!account.isDisabled) model.sessions.push(begun(account, body.data, fleet.now()));
}

export async function present(
  session: ModelSession,
  fleet: Fleet,
  wantedAge: number,
  on: number,
): Promise<void> {
  const age = Math.min(wantedAge, session.refreshTokens.length - 1);
  const token = session.refreshTokens.at(-1 - age) ?? '';
  const now = fleet.now();
  const allowed = refreshOutcomes(session, age, now);
  const { body } = await refresh(fleet.instance(on).url, token);
  const { data } = body;
  const isRepeated = data.refresh_token === session.refreshTokens.at(-1);
  const outcome = data.error ?? (isRepeated ? 'repeated' : 'rotated');
  assert.ok(allowed.includes(outcome), `a refresh token of age ${age}: ${outcome}, not ${allowed}`);
  if (outcome === 'token_revoked') return end(session, now, on % fleet.size);
  if (outcome === 'token_expired') return;
  if (outcome === 'rotated') rotate(session, data, now);
  else repeat(session, data, now);
  assert.equal(data.refresh_expires_in, Math.floor((session.idleUntil - now) / SECOND));
  assert.equal(data.user.username, session.account.username);
}

/** Asks every instance who one is: each remembers it then, and none may remember it too long. */
export async function seeEverywhere(session: ModelSession, fleet: Fleet): Promise<void> {
  for (let on = 0; on < fleet.size; on++) await use(session, fleet, -1, on, ME);
}

/** Uses an access token, to see who one is or to log out. */
async function use(
  session: ModelSession,
  fleet: Fleet,
  which: number,
  on: number,
  [method, path]: readonly [string, string],
): Promise<void> {
  const token = pick(session.accessTokens, which);
  const allowed = accessOutcomes(session, token, fleet.now(), on % fleet.size);
  const { body } = await call(fleet.instance(on).url, method, path, { token: token.text });
  const outcome = body.data.error ?? 'accepted';
  assert.ok(allowed.includes(outcome), `${method} ${path}: ${outcome}, not ${allowed}`);
  if (outcome !== 'accepted') return;
  if (path === LOG_OUT[1]) end(session, fleet.now(), on % fleet.size);
  else assert.equal(body.data.username, session.account.username);
}

const ME = ['GET', '/api/users/me'] as const;
const LOG_OUT = ['POST', '/api/auth/logout'] as const;

async function setDisabled(model: Sessions, fleet: Fleet, who: number, isDisabled: boolean): Promise<void> {
  const [account, { store }] = [pick(model.accounts, who), fleet.instance(0)];
  const { username } = account;
  if (isDisabled) await store.write(disableAccount, { account: username, now: fleet.now() });
  else await store.write(enableAccount, { account: username, now: fleet.now() });
  account.isDisabled = isDisabled;
  if (isDisabled)
    for (const session of model.sessions) if (session.account === account) end(session, fleet.now());
}

async function passTime({ sessions }: Sessions, fleet: Fleet, milliseconds: number): Promise<void> {
  fleet.passTime(milliseconds);
  for (const session of sessions)
    if (session.ended && fleet.now() - session.ended.at <= MINUTE) await seeEverywhere(session, fleet);
}

async function restart(model: Sessions, fleet: Fleet, on: number): Promise<void> {
  model.restarts++;
  await fleet.restart(on);
}

const some = fc.nat(7);
const which = fc.constantFrom(-1, -1, -1, 0, 1);
const on = fc.nat(1);
const age = fc.constantFrom(0, 0, 0, 1, 1, 2, 3);
/** Limits to the millisecond, and one past some. Mostly short, since the long ones end all that there is. */
const time = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(1, SOON_MS, 9 * SECOND, 10 * SECOND, 10 * SECOND + 1) },
  { weight: 3, arbitrary: fc.constantFrom(MINUTE, 15 * MINUTE - 1, 15 * MINUTE) },
  { weight: 2, arbitrary: fc.constantFrom(DAY, 13 * DAY, 14 * DAY, 16 * DAY) },
);

/** Mostly one that has not ended, where there is one: what has ended tells little. */
function sessionOf({ sessions }: Sessions, index: number): ModelSession {
  const living = sessions.filter(({ ended }) => !ended);
  return pick(index > 0 && living.length > 0 ? living : sessions, index);
}
const hasSession = ({ sessions }: Sessions) => sessions.length > 0;

/** Each with how often it comes beside the others. */
export const COMMANDS: Weighted<Sessions, Fleet>[] = [
  command(1, 'register', [on], register, ({ accounts }) => accounts.length < MOST_ACCOUNTS),
  command(2, 'logIn', [some, on], logIn, ({ logins }) => logins < MOST_LOGINS),
  command(
    7,
    'refresh',
    [some, age, on],
    async (model, fleet, index, age, on) => {
      const session = sessionOf(model, index);
      await present(session, fleet, age, on);
      await seeEverywhere(session, fleet);
    },
    hasSession,
  ),
  command(
    3,
    'me',
    [some, which, on],
    (model, fleet, index, which, on) => use(sessionOf(model, index), fleet, which, on, ME),
    hasSession,
  ),
  command(
    1,
    'logOut',
    [some, which, on],
    (model, fleet, index, which, on) => use(sessionOf(model, index), fleet, which, on, LOG_OUT),
    hasSession,
  ),
  command(1, 'disable', [some], (model, fleet, who) => setDisabled(model, fleet, who, true)),
  command(1, 'enable', [some], (model, fleet, who) => setDisabled(model, fleet, who, false)),
  command(4, 'passTime', [time], passTime),
  command(1, 'restart', [on], restart, ({ restarts }) => restarts === 0),
];
