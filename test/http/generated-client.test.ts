// Needs: processes, and a process of its own.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import generateTypes, { astToString } from 'openapi-typescript';
import { onOneEngine, temporaryFolder } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url);
const MODULES = new URL('node_modules', ROOT).pathname;
const OPTIONS = { module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] };

/** What somebody writes who has the generated types and a client library, and has not seen our source. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './contract.d.ts';

type NewItem = operations['createContent']['requestBody']['content']['application/json'];
type Change = operations['updateContent']['requestBody']['content']['application/json'];
type Content = components['schemas']['Content'];

const api = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const account = { username: 'ada', email: 'ada@example.org', password: 'correct horse battery' };
await api.POST('/api/auth/register', { body: account });
const session = await api.POST('/api/auth/login', { body: account });
if (!session.data) throw new Error(session.error.message);
const headers = { Authorization: \`Bearer \${session.data.data.token}\` };

const item: NewItem = { title: 'Hello', content: 'The first item.' };
const created = await api.POST('/api/content', { body: item, headers });
if (!created.data) throw new Error(created.error.message);
const content: Content = created.data.data;
const params = { path: { id: content.id } };
const change: Change = { tags: ['first'] };
const changed = await api.PUT('/api/content/{id}', { params, body: change, headers });
const list = await api.GET('/api/content', { params: { query: { author: content.author.id } } });
const refused = await api.PUT('/api/content/{id}', { params, body: {}, headers });
const rule = refused.error?.code === 400 ? refused.error.data.fields?.[0]?.rule : undefined;
console.log(JSON.stringify([content.author.username, changed.data?.data.tags, list.data?.data.total, rule]));
`;

/** Each is one slip in the program, and what the compiler says of it. */
const SLIPS = [
  ['a member of a body', "title: 'Hello'", "titel: 'Hello'", /'titel' does not exist/],
  ['the type of a member', "tags: ['first']", "tags: 'first'", /not assignable to type 'string\[\]'/],
  ['a member of a change', "tags: ['first']", "tag: ['first']", /'tag' does not exist/],
  ['a parameter', 'query: { author', 'query: { writer', /'writer' does not exist/],
  ['a member of an answer', 'author.username', 'author.name', /'name' does not exist/],
  ['an error', 'error?.code === 400', 'error?.code === 402', /no overlap/],
  ['an operation', "['createContent']", "['makeContent']", /'makeContent' does not exist/],
  ['a path', "POST('/api/content'", "POST('/api/contents'", /"\/api\/contents"/],
  ['an id', 'id: content.id', 'id: content.title', /'string' is not assignable to type 'number'/],
] as const;

/** A project of somebody else: a client library, and files by their names. */
async function newProject(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder(t);
  await symlink(MODULES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** What the compiler says of all programs, each message with the lines that explain it. */
async function compile(folder: string): Promise<string[]> {
  const compiling = run(join(MODULES, '.bin/tsc'), ['--project', '.'], { cwd: folder });
  const said = await compiling.then(
    ({ stdout }) => stdout,
    ({ stdout }) => String(stdout),
  );
  return said.split(/^(?=\S)/m).filter((message) => message !== '');
}

it('A client of generated types compiles, and the compiler names a mistake in it', async (t) => {
  for (const [, right] of SLIPS) assert.ok(PROGRAM.includes(right), right);
  const slips = SLIPS.map(([, right, wrong], index) => [`slip-${index}.ts`, PROGRAM.replace(right, wrong)]);
  // The compiler reads the types once for all programs, which takes most of its time.
  const folder = await newProject(t, {
    'contract.d.ts': astToString(await generateTypes(new URL('openapi.json', ROOT))),
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...OPTIONS, allowImportingTsExtensions: true } }),
    'good.ts': PROGRAM,
    ...Object.fromEntries(slips),
  });
  const messages = await compile(folder);
  for (const [index, [what, , , message]] of SLIPS.entries()) {
    const own = messages.filter((each) => each.startsWith(`slip-${index}.ts(`));
    assert.match(own.join(''), message, what);
  }
  const others = messages.filter((each) => !each.startsWith('slip-'));
  assert.deepEqual(others, [], 'what it says of a program without a mistake');
});

onOneEngine('A client of generated types', (engine) => {
  it('A client of generated types works with the service', async (t) => {
    // Node.js strips the types, and so needs none.
    const folder = await newProject(t, { 'client.ts': PROGRAM });
    const { url } = await startService(t, engine);
    const { stdout } = await run(process.execPath, [join(folder, 'client.ts'), url]);
    assert.deepEqual(JSON.parse(stdout), ['ada', ['first'], 1, 'minProperties']);
  });
});
