// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, call, login, newAccount, newItem, newName } from '../support/client.ts';
import { postgres } from '../support/engines.ts';
import { newPersonalToken, newWithRole } from '../support/people.ts';
import { startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';

for (const [what, atOnce, write] of [
  [
    'changes one item',
    6,
    (url: string, token: string, id: number) =>
      call(url, 'PUT', `/api/content/${id}`, { token, body: { title: newName() } }),
  ],
  [
    'creates items',
    24,
    (url: string, token: string) =>
      call(url, 'POST', '/api/content', { token, body: { title: newName(), content: 'Some content.' } }),
  ],
] as const)
  it(`An account that ${what} without a pause signs in, refreshes, revokes a token, logs out and is disabled meanwhile`, async (t) => {
    const { url, store, ...service } = await startService(t, postgres);
    const [member, admin] = [await newAccount(url), await newWithRole({ url, store, ...service }, 'admin')];
    const { id } = await newItem(url, member.token);
    await newPersonalToken(url, member);
    const own = await call(url, 'GET', '/api/auth/tokens', { token: member.token });
    const another = await login(url, member.username);

    let isOver = false;
    const seen: number[] = [];
    const writers = Array.from({ length: atOnce }, async () => {
      while (!isOver) seen.push((await write(url, member.token, id)).status);
    });
    await pause(1_000);
    const answers: [string, number][] = [];
    const ask = async (name: string, send: () => Promise<Answer>) => {
      answers.push([name, (await send()).status]);
    };
    const { token } = another;
    await ask('signs in', () => signIn(url, member.username));
    await ask('refreshes', () => call(url, 'POST', '/api/auth/refresh', { token: member.refreshToken }));
    await ask('revokes', () =>
      call(url, 'DELETE', `/api/auth/tokens/${own.body.data.items[0].id}`, { token }),
    );
    await ask('logs out', () => call(url, 'POST', '/api/auth/logout', { token }));
    const before = seen.length;
    await ask('is disabled', () =>
      call(url, 'PUT', `/api/users/${member.id}`, { token: admin.token, body: { disabled: true } }),
    );
    await pause(100);
    isOver = true;
    await Promise.all(writers);
    assert.deepEqual(
      answers,
      answers.map(([name]) => [name, 200]),
    );
    assert.deepEqual([new Set(seen.slice(0, before)), seen.at(-1)], [new Set([200]), 401]);
  });
