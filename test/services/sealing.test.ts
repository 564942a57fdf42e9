import assert from 'node:assert/strict';
import { chmod, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Secret } from 'otpauth';
import { readConfig } from '../../src/config.ts';
import { resetSecondFactors } from '../../src/factors/reset.ts';
import { placeOfTotpSecret } from '../../src/factors/totp/code.ts';
import { TABLES } from '../../src/features.ts';
import { openSealingOf } from '../../src/open-sealing.ts';
import { newKeyText, parseKey } from '../../src/services/sealing/key.ts';
import { isSealed, seal, unseal } from '../../src/services/sealing/seal.ts';
import { findSecret, keepSecret, placeOfSecret } from '../../src/services/sealing/secrets.ts';
import { generateKey, openKey } from '../../src/sessions/keys.ts';
import { addSigningKey, listSigningKeys, revokeSigningKey } from '../../src/sessions/signing-keys.ts';
import { call, login, newAccount, refresh } from '../support/client.ts';
import { temporaryFolder } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newWithRole } from '../support/people.ts';
import { PLACES, type Place } from '../support/place.ts';
import { challengeOf, newGuarded, signInWith } from '../support/second-factor.ts';
import { type RunningService, startHere, startService } from '../support/service.ts';
import { signIn } from '../support/sign-in.ts';
import { publicKeysFrom, textsOf, tokensFrom } from '../support/thief.ts';
import { until } from '../support/until.ts';

const PAGE = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
const NOW = Date.UTC(2030, 0, 1);
const SEALED = 'SELECT value AS text FROM secrets UNION ALL SELECT private_jwk AS text FROM signing_keys';

for (const { name, newPlace } of PLACES)
  describe(`Copies of the database and sealing keys, on ${name}`, { concurrency: true }, () => {
    it('A copy of the database signs and refreshes nothing, even with all used refresh tokens', async (t) => {
      const { place, service, used, living } = await withRotations(t, newPlace);
      const texts = await textsOf(readConfig({ DATABASE_URL: place.url }).database);
      const ours = await publicKeysOf(service.url);
      assert.deepEqual(
        publicKeysFrom(texts).filter((each) => ours.includes(each)),
        [],
        'a private key',
      );
      assert.ok(!tokensFrom(texts, used).includes(living), 'the living token');

      // With the sealing key too it would: so the attempts above are in earnest.
      const [key] = await service.store.read(listSigningKeys, null);
      const rows = await place.sql("SELECT value FROM secrets WHERE name = 'token_secret'");
      assert.ok(key);
      const opened = [
        openKey(service.sealing, key),
        service.sealing.unseal(placeOfSecret('token_secret'), String(rows[0]?.value)),
      ];
      assert.deepEqual(
        publicKeysFrom(opened).filter((each) => ours.includes(each)),
        ours,
      );
      assert.ok(tokensFrom([...texts, ...opened], used).includes(living));
    });

    it('A copy of the database shows no second factor, and codes work after sealing under a new key', async (t) => {
      const place = await newPlace(t);
      const [before, after] = [newKeyText(), newKeyText()];
      const start = (SEALING_KEY: string) =>
        startService(t, on(place), { SEALING_KEY }, { clock: () => NOW });
      const { url, store, sealing, stop } = await start(before);
      const { username, token, secret, recoveryCodes, code } = await newGuarded(url, NOW);
      const challenge = await challengeOf(url, username);
      const texts = (await textsOf(readConfig({ DATABASE_URL: place.url }).database)).join('\n');
      const bytes = Buffer.from(Secret.fromBase32(secret).bytes);
      for (const tale of [secret, bytes.toString('hex'), bytes.toString('base64url'), challenge])
        assert.ok(!texts.includes(tale), tale);
      for (const each of recoveryCodes)
        for (const tale of [each, each.replaceAll('-', '')]) assert.ok(!texts.includes(tale), tale);

      const [row] = await place.sql('SELECT id, secret_sealed FROM totp_secrets');
      const kept = sealing.unseal(placeOfTotpSecret(String(row?.id)), String(row?.secret_sealed));
      assert.equal(kept, secret, 'with the sealing key it would');
      await sealing.reseal(store, parseKey(after), NOW);
      const late = await call(url, 'POST', '/api/auth/totp', { token });
      assert.equal(late.status, 500, 'nothing is sealed under the key of before');
      assert.equal((await place.sql('SELECT id FROM totp_secrets')).length, 1);
      await stop();
      const next = await start(after);
      assert.equal((await signInWith(next.url, username, code())).status, 200);

      // As an operator does who lost the key.
      await place.sql('DELETE FROM totp_secrets');
      assertFailure(await signInWith(next.url, username, code(1)), 401, 'code_invalid');
      assert.equal((await signInWith(next.url, username, recoveryCodes[0] ?? '')).status, 200);
      await place.sql('DELETE FROM recovery_codes');
      assertFailure(await signIn(next.url, username), 401, 'second_factor_required');
      await next.store.write(resetSecondFactors, { account: username, sendsMail: false, now: NOW });
      assert.equal((await signIn(next.url, username)).status, 200);
    });

    it('After the cure for a lost key that the page on operations names, another key seals all that there is', async (t) => {
      const place = await newPlace(t);
      const start = (SEALING_KEY: string) =>
        startService(t, on(place), { SEALING_KEY, WEBHOOK_PRIVATE: 'on' }, { clock: () => NOW });
      const lost = await start(newKeyText());
      const guarded = await newGuarded(lost.url, NOW);
      const admin = await newWithRole(lost, 'admin');
      const hook = { url: 'http://127.0.0.1:9/', events: ['user.created'] };
      const made = await call(lost.url, 'POST', '/api/webhooks', { token: admin.token, body: hook });
      assert.equal(made.status, 200);
      await lost.stop();
      const cure = (/\*\*A lost key\.\*\*[\s\S]*?```sql\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '')
        .trim()
        .split(/(?<=;)\s+/);
      const cured = cure.map((statement) => statement.replace(/^DELETE FROM (\w+);$/, '$1'));
      assert.deepEqual(cured.toSorted(), TABLES.sealed.map(({ table }) => table).toSorted());
      await place.sql(...cure);

      const { url, store, sealing } = await start(newKeyText());
      const [recoveryCode = ''] = guarded.recoveryCodes;
      assert.equal((await signInWith(url, guarded.username, recoveryCode)).status, 200);
      const { token } = await login(url, admin.username);
      const renewed = await call(url, 'POST', `/api/webhooks/${made.body.data.id}/secret`, { token });
      assert.equal(renewed.status, 200);
      await sealing.reseal(store, parseKey(newKeyText()), NOW);
    });

    it('A database from before there was sealing is sealed at the next start, and its tokens work', async (t) => {
      const { place, service, living } = await withRotations(t, newPlace);
      await service.stop();
      const unsealed = new Map<string, string>();
      for (const { kid, private_jwk } of await place.sql('SELECT kid, private_jwk FROM signing_keys'))
        unsealed.set(
          `UPDATE signing_keys SET private_jwk = $ WHERE kid = '${kid}'`,
          openKey(service.sealing, { kid: String(kid), private_jwk: String(private_jwk) }),
        );
      const [secret] = await place.sql("SELECT value FROM secrets WHERE name = 'token_secret'");
      unsealed.set(
        "UPDATE secrets SET value = $ WHERE name = 'token_secret'",
        service.sealing.unseal(placeOfSecret('token_secret'), String(secret?.value)),
      );
      for (const [statement, text] of unsealed) await place.sql(statement.replace('$', () => `'${text}'`));
      await place.sql("DELETE FROM secrets WHERE name = 'sealing_check'");

      const next = await startService(t, on(place));
      const texts = (await place.sql(SEALED)).map(({ text }) => String(text));
      assert.deepEqual([texts.length, texts.filter((text) => !isSealed(text))], [3, []]);
      assert.equal((await refresh(next.url, living)).status, 200);
    });

    it('A database sealed under a new key takes nothing that was sealed under the former key', async (t) => {
      const { store, sealing } = await startService(t, on(await newPlace(t)));
      const key = await generateKey(sealing, Date.now());
      const before = await store.read(listSigningKeys, null);
      await sealing.reseal(store, parseKey(newKeyText()), 0);
      assert.equal(await store.write(addSigningKey, key), false);
      const [kid = ''] = before.map((each) => each.kid);
      assert.equal(
        await store.write(revokeSigningKey, { kid, successor: key, now: 0 }),
        'sealing key changed',
      );
      const secret = { name: 'other', value: '', sealedUnder: sealing.check };
      assert.equal(await store.write(keepSecret, secret), false);
      assert.equal(await store.read(findSecret, 'other'), null);
      await assert.rejects(
        sealing.reseal(store, parseKey(newKeyText()), 0),
        /The sealing key was changed by another/,
      );
      const after = await store.read(listSigningKeys, null);
      assert.deepEqual(
        after.map((each) => each.kid),
        [kid],
      );
      assert.notDeepEqual(after, before);
    });

    it('After a reseal a service that runs on accepts and publishes no removed signing key, and signs with none', async (t) => {
      const place = await newPlace(t);
      const [SEALING_KEY, next] = [newKeyText(), newKeyText()];
      const { url, store, sealing } = await startService(t, on(place), { SEALING_KEY });
      const { username, token } = await newAccount(url);
      await sealing.reseal(store, parseKey(next), NOW);
      const config = readConfig({ DATABASE_URL: place.url, SEALING_KEY: next });
      const successor = await generateKey(await openSealingOf(config, store, { isCommand: true }), NOW);
      const [kid = ''] = (await store.read(listSigningKeys, null)).map((each) => each.kid);
      assert.equal(await store.write(revokeSigningKey, { kid, successor, now: NOW }), 'replaced');

      const me = () => call(url, 'GET', '/api/users/me', { token });
      await until(async () => (await me()).status !== 200, 'the tokens of the removed key are refused');
      assertFailure(await me(), 401, 'token_invalid');
      assert.deepEqual(await publicKeysOf(url), []);
      assertFailure(await signIn(url, username), 503, 'unavailable');
    });

    it('A new key seals all texts of a column, also when there are more than one read takes', async (t) => {
      const place = await newPlace(t);
      const { store, sealing, stop } = await startService(t, on(place));
      const rows = Array.from({ length: 2_001 }, (_, index) => {
        const id = `m${index}`;
        const sealed = sealing.seal({ table: 'mails', row: id, column: 'secret_sealed' }, id);
        return `('${id}', 'a@example.org', 'password_reset', '{}', '${sealed}', 0, 0, 9e15, 9e15)`;
      });
      await place.sql(`INSERT INTO mails (id, recipient, template, template_values, secret_sealed, made_at, attempts,
        next_attempt_at, give_up_at) VALUES ${rows.join(', ')}`);
      const to = parseKey(newKeyText());
      await sealing.reseal(store, to, NOW);
      await stop();
      const mails = await place.sql('SELECT id, secret_sealed FROM mails');
      assert.equal(mails.length, rows.length);
      for (const { id, secret_sealed } of mails) {
        const where = { table: 'mails', row: String(id), column: 'secret_sealed' };
        assert.equal(unseal(to, where, String(secret_sealed)), id);
      }
    });

    it('A sealed database is refused and unchanged where the key is missing or another one', async (t) => {
      const [place, DATA_DIR] = [await newPlace(t), await temporaryFolder(t)];
      const engine = { name, settings: async () => ({ DATABASE_URL: place.url, DATA_DIR }) };
      const first = await startService(t, engine);
      const { token } = await newAccount(first.url);
      await first.stop();
      const file = readConfig(await engine.settings()).sealingKeyFile;
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      const sealed = await place.sql(SEALED);

      await rename(file, `${file}-away`);
      await assert.rejects(
        startService(t, engine),
        /^Error: The database .* is sealed, and there is no key at .*SEALING_KEY to the key\.$/,
      );
      assert.ok(!(await readdir(join(file, '..'))).includes('sealing.key'), 'no other key was made');
      await writeFile(file, `${newKeyText()}\n`, { mode: 0o600 });
      const other = /^Error: The database .* is sealed under another key than that of .*; put the key file/;
      await assert.rejects(startService(t, engine), other);
      await assert.rejects(startService(t, engine, { SEALING_KEY: newKeyText() }), other);
      await rm(file);
      await symlink(`${file}-away`, file);
      await assert.rejects(startService(t, engine), /sealing\.key cannot be read \(it is a symbolic link\)/);
      assert.deepEqual(await place.sql(SEALED), sealed);

      await rename(`${file}-away`, file);
      const again = await startService(t, engine);
      assert.equal((await call(again.url, 'GET', '/api/users/me', { token })).status, 200);
    });
  });

it('A sealed text opens only at its own place, under its own key and unchanged', () => {
  const [key, place] = [parseKey(newKeyText()), { table: 't', row: '1', column: 'c' }];
  const sealed = seal(key, place, 'the text');
  assert.equal(unseal(key, place, sealed), 'the text');
  assert.notEqual(seal(key, place, 'the text'), sealed, 'no nonce is used again');
  for (const other of [{ table: 'u' }, { row: '2' }, { column: 'd' }])
    assert.equal(unseal(key, { ...place, ...other }, sealed), undefined);
  assert.equal(unseal(parseKey(newKeyText()), place, sealed), undefined);
  const bytes = Buffer.from(sealed.slice('sealed.1.'.length), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(unseal(key, place, `sealed.1.${changed.toString('base64url')}`), undefined, `byte ${at}`);
  }
  for (const text of ['the text', '', 'sealed.1.', 'sealed.1.AAAA', sealed.slice(0, -2)])
    assert.equal(unseal(key, place, text), undefined);
});

describe('The folder of the SQLite database', { concurrency: true }, () => {
  it('A data folder that others may open is closed and reported at the start, with its files', async (t) => {
    const engine = { name: 'SQLite', settings: async () => ({ DATA_DIR: folder }) };
    const folder = await temporaryFolder(t);
    await (await startService(t, engine)).stop();
    const files = (await readdir(folder)).map((each) => join(folder, each));
    for (const file of files) await chmod(file, 0o644);
    await chmod(folder, 0o755);
    const { log } = await startService(t, engine);
    assert.ok(files.includes(join(folder, 'sealing.key')) && files.includes(join(folder, 'stoa.db')));
    for (const path of [folder, ...files]) {
      const mode = path === folder ? 0o700 : 0o600;
      assert.equal((await stat(path)).mode & 0o777, mode, path);
      const told = log.filter((line) => line.includes(`"${path} was open to other users (mode 0`));
      assert.equal(told.length, 1, path);
    }
  });

  it('A data folder that holds other files keeps its mode', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'letter.txt'), '');
    await chmod(folder, 0o755);
    const { log } = await startHere(t, { DATA_DIR: folder });
    assert.equal((await stat(folder)).mode & 0o777, 0o755);
    assert.ok(log.some((line) => line.includes('holds') && line.includes('letter.txt')));
    assert.equal((await stat(join(folder, 'sealing.key'))).mode & 0o777, 0o600);
    assert.match(await readFile(join(folder, 'sealing.key'), 'utf8'), /^[\w-]{43}\n$/);
  });
});

function on(place: Place) {
  return { name: '', settings: async () => ({ DATABASE_URL: place.url }) };
}

/** A service with one session that was refreshed five times. */
async function withRotations(t: TestContext, newPlace: (t: TestContext) => Promise<Place>) {
  const place = await newPlace(t);
  const service = await startService(t, on(place));
  let { refreshToken: living } = await newAccount(service.url);
  const used: string[] = [];
  while (used.length < 5) {
    used.push(living);
    living = (await refresh(service.url, living)).body.data.refresh_token;
  }
  return { place, service, used, living };
}

async function publicKeysOf(url: RunningService['url']): Promise<string[]> {
  const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { x: string }[] };
  return keys.map(({ x }) => x);
}
