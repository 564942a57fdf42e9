import { setTimeout as pause } from 'node:timers/promises';
import { type Account, call, login, newAccount, newItem, newName } from './client.ts';
import { newPasskey } from './passkeys.ts';
import { until } from './until.ts';

/** The id of a new one of what the path of a route names: a session, a passkey, a token or an invitation of the account, a user, or an item, in the trash or with a draft beside it where the path says so. */
export async function newTarget(url: string, path: string, owner: Account): Promise<string> {
  if (path.startsWith('/api/auth/sessions/')) return sessionIdOf((await login(url, owner.username)).token);
  if (path.startsWith('/api/auth/passkeys/')) return (await newPasskey(url, owner)).id;
  if (path.startsWith('/api/auth/tokens/')) {
    const body = { name: 'a program', scope: 'read', expires_in_days: 1 };
    return (await call(url, 'POST', '/api/auth/tokens', { token: owner.token, body })).body.data.id;
  }
  if (path.startsWith('/api/invitations/')) {
    const body = { email: `${newName()}@example.org`, role: 'member' };
    const { body: made } = await call(url, 'POST', '/api/invitations', { token: owner.token, body });
    // Who may not invite asks for one that there is not.
    return String(made.data.id ?? noSuchId(path));
  }
  if (path.startsWith('/api/webhooks/')) return newWebhookId(url, owner);
  if (path.startsWith('/api/users/')) return String((await newAccount(url)).id);
  const { id } = await newItem(url, owner.token);
  const body = { title: 'a draft' };
  if (/\/(draft|publish)$/.test(path)) await call(url, 'PUT', `/api/content/${id}/draft`, { ...owner, body });
  if (path.startsWith('/api/content/trash/')) await call(url, 'DELETE', `/api/content/${id}`, owner);
  return String(id);
}

/** There are few webhooks at most, so a new one may take the place of the first. */
async function newWebhookId(url: string, { token }: Account): Promise<string> {
  const body = { url: 'https://site.example/hook', events: ['content.restored'] };
  const make = () => call(url, 'POST', '/api/webhooks', { token, body });
  let made = await make();
  if (made.body.data.error === 'limit_reached') {
    const { items } = (await call(url, 'GET', '/api/webhooks', { token })).body.data;
    await call(url, 'DELETE', `/api/webhooks/${items[0]?.id}`, { token });
    made = await make();
  }
  return String(made.body.data.id ?? noSuchId('/api/webhooks/{id}'));
}

/**
 * The path of a route with the ids of new ones of what it names: `newTarget`, or a session or a token of a new account. An
 * item is at its first version.
 */
export async function newPath(url: string, template: string, owner: Account): Promise<string> {
  const last = /\/(sessions|tokens)\/\{\w+_id\}$/.exec(template)?.[1];
  if (last) {
    const account = await newAccount(url);
    const id = await newTarget(url, `/api/auth/${last}/`, account);
    return template.replace('{id}', String(account.id)).replace(/\{\w+\}$/, id);
  }
  if (template.includes('{slug}')) return template.replace('{slug}', (await newItem(url, owner.token)).slug);
  if (template.endsWith('/{name}')) return newRenamed(url, template, owner);
  const target = template.includes('{id}')
    ? template.replace('{id}', await newTarget(url, template, owner))
    : template;
  if (!target.includes('{delivery_id}')) return target.replace('{version}', '1');
  const webhook = target.slice(0, target.indexOf('/deliveries/'));
  const { body } = await call(url, 'POST', `${webhook}/test`, { token: owner.token });
  return target.replace('{delivery_id}', String(body.data.id ?? noSuchId(target)));
}

/** A label that was renamed, where the account may do that. */
async function newRenamed(url: string, template: string, { token }: Account): Promise<string> {
  const path = template.replace('{name}', newName('label'));
  const progress = async (asked: string) => (await call(url, 'GET', asked, { token })).body.data.ended_at;
  const start = () => call(url, 'PUT', path, { token, body: { name: newName('label') } });
  let started = await start();
  await until(async () => {
    if (started.status !== 409) return true;
    // Each attempt counts for the limit of an hour.
    await pause(1_000);
    started = await start();
    return false;
  }, 'no other renaming is under way');
  if (started.status === 200)
    await until(async () => (await progress(path)) !== null, `the renaming of ${path} ends`);
  return path;
}

/** An id of the same form that nothing has. */
export function noSuchId(path: string): string {
  return /^\/api\/auth\/|\/(sessions|tokens)\/[^/]+$/.test(path) ? 'AAAAAAAAAAA' : '999999';
}

/** The session that an access token belongs to. */
export function sessionIdOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;
}
