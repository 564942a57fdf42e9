import { randomBytes } from 'node:crypto';
import { setRole } from '../src/accounts/administer.ts';
import { listUsers } from '../src/accounts/list.ts';
import { loadConfig } from '../src/config.ts';
import { reasonOf } from '../src/domain/reason.ts';
import { nameOf } from '../src/open-database.ts';
import { openStore } from '../src/open-store.ts';
import { itemOf } from './seeding/items.ts';
import { OneHash } from './seeding/one-hash.ts';
import { people } from './seeding/people.ts';
import { openService } from './seeding/service.ts';

/**
 * `npm run seed`: fills an empty database with example people and content, by requests to the service itself. DATA_DIR
 * or DATABASE_URL names the database.
 */

const PEOPLE = 300;

const config = loadConfig();
if (config.mfaRequired === 'all') {
  process.stderr.write(
    'Authors sign in with their password only; seed with MFA_REQUIRED=none, and set it to all after.\n',
  );
  process.exit(1);
}
const store = await openStore(config.database);
const hashing = new OneHash();
try {
  const { total } = await store.read(listUsers, { keyword: '', page: 1, per_page: 1 });
  if (total > 0) {
    throw new Error(`${nameOf(config.database)} has ${total} accounts already; seed an empty database.`);
  }
  process.stdout.write(`Filling ${nameOf(config.database)}: a few seconds.\n`);
  const password = randomBytes(9).toString('base64url');
  const service = await openService({ config, store, hashing });
  const everybody = people(PEOPLE);
  await service.registerAll(everybody, password);
  const [admin, editor, ...members] = everybody;
  if (admin) await store.write(setRole, { account: admin.username, role: 'admin', now: Date.now() });
  if (editor) await store.write(setRole, { account: editor.username, role: 'editor', now: Date.now() });
  // Every fifth member writes.
  const authors = members.filter((_, index) => index % 5 === 0);
  for (const [number, author] of authors.entries()) {
    const items = Array.from({ length: 4 }, (_, index) => itemOf(author.language, number * 4 + index));
    await service.createAll(author.username, password, items);
  }
  await service.close();
  const lines = [
    `It has ${everybody.length} accounts and ${authors.length * 4} items now.`,
    `The password of all of them is ${password}`,
    `The admin is ${admin?.username}, the editor is ${editor?.username}.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all([store.close(), hashing.close()]);
}
