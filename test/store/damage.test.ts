// Needs: processes.

import assert from 'node:assert/strict';
import { open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { call, login, newAccount, newItem } from '../support/client.ts';
import { stoa } from '../support/command.ts';
import { newSqliteFile } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';
import { startHere } from '../support/service.ts';
import { untilThere } from '../support/until.ts';

const DAMAGED = /The database file is damaged \(.+\): stop the service and restore a backup/;
const PAGE_SIZE = 4096;

describe('Damaged database files', { concurrency: 2 }, () => {
  it('A damaged part of the database fails only the requests that need it, and the log says so', async (t) => {
    const database = await newSqliteFile(t);
    const settings = { DATA_DIR: dirname(database) };
    // A process as the next one, which would refuse the cheap hash of the tests.
    const before = await startProcess(t, settings);
    const { token, username } = await newAccount(before.url);
    const { id } = await newItem(before.url, token, { content: 'some words '.repeat(500) });
    const search = () => call(before.url, 'GET', '/api/content?keyword=words');
    const found = await search();
    assert.equal(found.body.data.total, 1);
    assert.equal(await before.stop('SIGTERM'), 0);
    await damage(database, ['content', 'users_search_data']);

    const service = await startProcess(t, settings);
    const { url } = service;
    const failing = [
      ['GET', `/api/content/${id}`],
      ['GET', `/api/users?keyword=${username}`],
      ['POST', '/api/content'],
    ] as const;
    // More than once: what fails must not leave anything behind that the next request meets.
    for (const [method, path] of [...failing, ...failing]) {
      const body = method === 'POST' ? { body: { title: 't', content: 'c' } } : {};
      const answer = await call(url, method, path, { token, ...body });
      const seen = `${method} ${path}: ${JSON.stringify(answer.body)}`;
      assert.deepEqual([answer.status, answer.body.data.error], [500, 'internal'], seen);
      const line = await logged(service.stdout, answer.body.data.request_id);
      assert.match(line.err.message, DAMAGED, seen);
      assert.equal((await call(url, 'GET', '/api/users/me', { token })).body.data.username, username);
    }
    await login(url, username);
    assert.equal(service.child.exitCode, null);
    assert.equal(await service.stop('SIGTERM'), 0, service.stdout());
  });

  it('A damaged part that the start needs ends the start with one sentence that says what to do', async (t) => {
    for (const tables of [['migrations'], ['signing_keys'], undefined]) {
      const database = await newSqliteFile(t);
      const settings = { DATA_DIR: dirname(database) };
      await (await startHere(t, settings)).stop();
      if (tables) await damage(database, tables);
      else await writeFile(database, 'a backup that somebody compressed, for example');
      const { code, stdout, stderr } = await stoa(['serve'], { settings: { ...settings, PORT: '0' } });
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, DAMAGED);
      assert.equal(stderr.split('\n').length, 2, stderr);
    }
  });
});

/** Writes over all pages of these tables. */
async function damage(database: string, tables: readonly string[]): Promise<void> {
  const reader = new DatabaseSync(database, { readOnly: true });
  const names = tables.map((name) => `'${name}'`).join();
  const pages = reader.prepare(`SELECT pageno FROM dbstat WHERE name IN (${names})`).all();
  reader.close();
  assert.ok(pages.length >= tables.length);
  const file = await open(database, 'r+');
  for (const { pageno } of pages) {
    await file.write(Buffer.alloc(PAGE_SIZE, 0xff), 0, PAGE_SIZE, (Number(pageno) - 1) * PAGE_SIZE);
  }
  await file.close();
}

/** The line of the log that has the request id; the answer may arrive before it. */
async function logged(stdout: () => string, requestId: string) {
  const isWhole = (line: string) => line.includes(`"request_id":"${requestId}"`) && line.endsWith('}');
  return JSON.parse(await untilThere(() => stdout().split('\n').find(isWhole), `the log has ${requestId}`));
}
