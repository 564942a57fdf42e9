import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { missingObjects } from '../../src/doctor/schema.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { openMoveEnd } from '../../src/open-database.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { newToken } from '../../src/services/links/token.ts';
import { type Answer, call, login, refresh } from '../support/client.ts';
import { known, LATER_STEPS, oldDatabase } from '../support/earlier-version.ts';
import { follow, registerAs } from '../support/email.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { hashed } from '../support/hashed.ts';
import { reset as resetPassword } from '../support/mail.ts';
import { execOn } from '../support/place.ts';
import { codeOf, signInWith } from '../support/second-factor.ts';
import { startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';

/** What the job calls the items of the fixture, and the slug of the one that the test creates. */
const NAMES = ['grüße-again', '日本語', 'new'];
const DAY = 24 * 60 * 60_000;
const NEW = 'a better horse battery';
/** More invitations than there are other links, whose new ids would else come after them. */
const REVOKED = Array.from({ length: 20 }, (_, index) => `revoked${index}@example.org`);
/** Waits until the job has named the items that are older than slugs. */
async function untilNamed(url: string): Promise<void> {
  const slugs = async () => (await call(url, 'GET', '/readyz')).body.data.checks?.slugs;
  await until(async () => (await slugs()) === 'ok', 'the items have their slugs');
}

onEveryEngine('A database of an earlier version', (engine) => {
  it('A database of an earlier version gets only the later steps, and its users lose nothing', async (t) => {
    const settings = await oldDatabase(t, engine);
    const { database } = readConfig(settings);
    assert.deepEqual(await migrateStore(database), LATER_STEPS);
    const end = await openMoveEnd(database, 'source');
    assert.deepEqual(await missingObjects(end), []);
    await end.close();
    const service = await startService(
      t,
      { name: engine.name, settings: async () => settings },
      { PUBLIC_URL: known.publicUrl },
      { clock: () => known.now },
    );
    const { url } = service;
    const me = await call(url, 'GET', '/api/users/me', { token: known.accessToken });
    assert.deepEqual(
      [me.status, me.body.data.username, me.body.data.display_name],
      [200, 'ada', 'Ada Lovelace'],
    );
    assert.equal((await refresh(url, known.refreshToken)).status, 200);
    assert.equal((await call(url, 'GET', '/api/content', { token: known.personalToken })).body.data.total, 2);
    const { token } = await login(url, 'root', known.password);
    const list = await call(url, 'GET', '/api/users?per_page=100', { token });
    assert.deepEqual(
      list.body.data.items.map(({ username }: { username: string }) => username),
      ['root', 'ada', 'grace', 'bob', 'linux', 'дарья'],
    );
    const guarded = await signInWith(url, 'grace', codeOf(known.totpSecret, known.now + 30_000));
    assert.equal(guarded.status, 200, JSON.stringify(guarded.body));
    assert.equal((await signInWith(url, 'grace', known.recoveryCode)).status, 200);
    const trail = await call(url, 'GET', '/api/audit?event=account_closed', { token });
    assert.equal(trail.body.data.total, 1);
    const created = await call(url, 'POST', '/api/content', {
      token,
      body: { title: 'new', content: 'new' },
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    // Before it, the job may hold an item when the index comes to it, and then no search waits for that item.
    await untilNamed(url);
    const found = await call(url, 'GET', '/api/content?keyword=first+item&tag=kept');
    assert.deepEqual(
      found.body.data.items.map(({ title, version }: { title: string; version: number }) => [title, version]),
      [['Grüße again', 2]],
    );
    const named = await call(url, 'GET', '/api/content?fields=title,slug');
    assert.deepEqual(
      named.body.data.items.map(({ slug }: { slug: string }) => slug),
      NAMES,
    );
    await service.stop();
    const next = {
      name: '9999_next',
      effect: { does: 'Makes a table.' },
      statements: () => ['CREATE TABLE next (a INTEGER)'],
    };
    assert.deepEqual(await migrateStore(database, [...MIGRATIONS, next]), [next.name]);
  });

  it('A link that an earlier version mailed works once, and invitations keep their ids', async (t) => {
    const settings = await oldDatabase(t, engine);
    const [hour, until] = [60 * 60_000, known.now + DAY];
    const token = (prefix: string) => newToken(prefix);
    const [reset, byOperator, invitation] = [token('stoa_pr_'), token('stoa_po_'), token('stoa_in_')];
    const [verify, change, revert, register] = [0, 1, 2, 3].map(() => token('stoa_el_'));
    assert.ok(verify && change && revert && register);
    const invited = (hash: string, email: string) =>
      `INSERT INTO invitations (token_hash, email, email_key, role, invited_by, created_at, expires_at)
        VALUES ('${hash}', '${email}', '${email}', 'editor', 1, ${known.now - hour}, ${until});`;
    const link = ({ tokenHash }: { tokenHash: string }, kind: string, id: number, email: string) =>
      `INSERT INTO email_links VALUES ('${tokenHash}', ${id}, '${kind}', '${email}', '${email}', ${until});`;
    const steps = [
      `INSERT INTO password_resets VALUES ('${reset.tokenHash}', 2, ${until}), ('${byOperator.tokenHash}', 5, ${until});`,
      link(verify, 'verify', 1, 'root@example.org'),
      link(change, 'change', 3, 'grace.new@example.org'),
      link(revert, 'revert', 4, 'bob.before@example.org'),
      `INSERT INTO pending_registrations VALUES ('${register.tokenHash}', 'late "comer"', 'late@example.org',
        'late@example.org', '${hashed(known.password)}', 's', ${until});`,
      ...[invited(invitation.tokenHash, 'guest@example.org'), ...REVOKED.map((each) => invited(each, each))],
      "DELETE FROM invitations WHERE email LIKE 'revoked%';",
    ];
    await execOn(settings, steps.join('\n'));
    const on = { name: engine.name, settings: async () => settings };
    const mail = { PUBLIC_URL: known.publicUrl, SMTP_URL: 'log' };
    const { url } = await startService(t, on, mail, { clock: () => known.now });
    const root = (await login(url, 'root', known.password)).token;
    const linux = (await login(url, 'linux', known.password)).token;
    const sections = async (of: string) =>
      (await call(url, 'GET', '/api/users/me/export', { token: of })).body.data;
    const [created_at, expires_at] = [new Date(known.now - hour), new Date(until)].map((at) =>
      at.toISOString(),
    );
    const ofRoot = await sections(root);
    assert.deepEqual(ofRoot.email_links, [{ kind: 'verify', email: 'root@example.org', expires_at }]);
    const guest = { email: 'guest@example.org', role: 'editor', created_at, expires_at };
    assert.deepEqual(ofRoot.invitations.at(-1), guest);
    const ofLinux = await sections(linux);
    assert.deepEqual(ofLinux.email_links, [{ kind: 'change', email: 'linux@example.org', expires_at }]);
    assert.deepEqual(ofLinux.password_resets, [{ expires_at }]);

    const list = async () => (await call(url, 'GET', '/api/invitations', { token: root })).body.data.items;
    const [newer, older] = await list();
    const who = { invited_by: { id: 1, username: 'root' } };
    assert.deepEqual(newer, { id: newer.id, ...guest, ...who });
    assert.deepEqual([older.id, older.email], [1, 'new@example.org']);
    const body = { email: 'next@example.org', role: 'member' };
    const next = await call(url, 'POST', '/api/invitations', { token: root, body });
    assert.equal(next.status, 200, JSON.stringify(next.body));
    assert.ok(next.body.data.id > newer.id + REVOKED.length, 'no id of a revoked one is given out again');
    assert.equal((await call(url, 'DELETE', '/api/invitations/1', { token: root })).status, 200);
    const ids = (await list()).map(({ id }: { id: number }) => id);
    assert.deepEqual(ids, [next.body.data.id, newer.id]);

    const taken = await registerAs(url, { email: 'bob.before@example.org' });
    assertFailure(taken.answer, 400, 'taken', { field: 'email' });
    const addresses = () => accounts(url, root);
    const follows = [
      () => resetPassword(url, reset.token, NEW),
      () => resetPassword(url, byOperator.token, NEW),
      () => follow(url, 'verify', verify.token),
      () => follow(url, 'confirm', change.token),
      () => follow(url, 'revert', revert.token),
      () => follow(url, 'verify', register.token),
      () => accept(url, invitation.token),
    ];
    for (const use of follows) {
      const first = await use();
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assertFailure(await use(), 400, 'link_invalid');
    }
    assert.deepEqual(await addresses(), [
      ['root', 'root@example.org', true, 'admin'],
      ['ada', 'ada@example.org', true, 'member'],
      ['grace', 'grace.new@example.org', true, 'member'],
      ['bob', 'bob.before@example.org', true, 'member'],
      ['linux', 'linus@example.org', false, 'member'],
      ['late "comer"', 'late@example.org', true, 'member'],
      ['guest', 'guest@example.org', true, 'editor'],
    ]);
    for (const name of ['ada', 'linux']) assert.equal((await signIn(url, name, NEW)).status, 200);
    assert.equal((await signIn(url, 'late "comer"', known.password)).status, 200);
  });
});

function accept(url: string, invitation: string): Promise<Answer> {
  const body = { username: 'guest', email: 'guest@example.org', password: NEW, invitation };
  return call(url, 'POST', '/api/auth/register', { body });
}

/** Name, address, whether the address is proved, and role of all accounts that are neither disabled nor closed. */
async function accounts(url: string, token: string): Promise<unknown[]> {
  const list = await call(url, 'GET', '/api/users?view=admin&state=active&per_page=100', { token });
  const items: Record<string, unknown>[] = list.body.data.items;
  return items.map(({ username, email, email_verified, role }) => [username, email, email_verified, role]);
}
