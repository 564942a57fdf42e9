// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call } from '../support/client.ts';
import { registerAs } from '../support/email.ts';
import { assertUnavailable } from '../support/expect.ts';
import { newMigratedPlace, newPostgresPlace } from '../support/place.ts';
import { startService } from '../support/service.ts';

it('A resend of a registration is answered 503 where the database cannot store it', async (t) => {
  const place = await newMigratedPlace(t, newPostgresPlace);
  const engine = { name: 'PostgreSQL', settings: async () => ({ DATABASE_URL: place.url }) };
  const { url } = await startService(t, engine, { SMTP_URL: 'log', EMAIL_VERIFICATION: 'required' });
  const { username, email, answer } = await registerAs(url);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  await place.sql(
    `CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'; END $$`,
    'CREATE TRIGGER full_disk BEFORE INSERT ON links FOR EACH ROW EXECUTE FUNCTION fill()',
  );
  const body = { username, email };
  assertUnavailable(await call(url, 'POST', '/api/auth/register/resend', { body }));
});
