import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { indexQueuedContent } from '../../src/search/index-words.ts';
import type { WriteOperation } from '../../src/store/operation.ts';
import type { Store } from '../../src/store/store.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { execOn } from '../support/place.ts';
import { startHere, startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

onEveryEngine('The background job that indexes content', (engine) => {
  it('The index job reports its failure once and its recovery once, and loses nothing', async (t) => {
    const settings = await engine.settings(t);
    const { url, store, log } = await startHere(t, settings);
    const told = (message: string) => log.filter((line) => JSON.parse(line).msg === message).length;
    const rounds = countRounds(store);
    const { token } = await newAccount(url);
    await execOn(settings, BREAK[engine.name] ?? '');
    await newItem(url, token, { content: 'during' });
    await until(() => rounds.failed >= 3, 'three rounds fail');
    await newItem(url, token, { content: 'during' });
    assert.equal(told('indexing content failed; trying again'), 1);
    assert.equal(told('indexing content works again'), 0);

    await execOn(settings, MEND[engine.name] ?? '');
    await until(() => told('indexing content works again') === 1, 'the log tells that indexing works');
    await newItem(url, token, { content: 'during' });
    const { body } = await call(url, 'GET', '/api/content?keyword=during');
    assert.equal(body.data.total, 3);
    assert.equal(told('indexing content failed; trying again'), 1);
  });

  it('The index job follows each write at once, also one during a round', async (t) => {
    const { url, store } = await startService(t, engine);
    const { token } = await newAccount(url);
    let looks = 0;
    const ping = store.ping.bind(store);
    // The clock of this test: another job, which comes as often as this one would by itself.
    store.ping = () => {
      looks++;
      return ping();
    };
    // The thread that indexes takes its time to start.
    await newItem(url, token, { content: 'first' });
    await call(url, 'GET', '/api/content?keyword=first');
    looks = 0;
    const elapsed = stopwatch();
    for (let each = 0; each < 12; each++) {
      await newItem(url, token, { content: `word${each}` });
      const { body } = await call(url, 'GET', `/api/content?keyword=word${each}`);
      assert.equal(body.data.total, 1);
    }
    assert.ok(looks < 8 || elapsed() < 8_000, `12 items needed ${looks} seconds`);
  });

  it('The index job finishes its round before the service closes, and a search says what it lacks', async (t) => {
    const { url, store, close } = await startService(t, engine);
    const { token } = await newAccount(url);
    const happened: string[] = [];
    const [hasBegun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write = store.write.bind(store);
    store.write = async <Input, Output>(operation: WriteOperation<Input, Output>, input: Input) => {
      if (operation.name !== indexQueuedContent.name) return write(operation, input);
      hasBegun.resolve();
      await goOn.promise;
      const output = await write(operation, input);
      happened.push('round');
      return output;
    };
    await newItem(url, token, { content: 'walnut' });
    await hasBegun.promise;
    const search = await call(url, 'GET', '/api/content?keyword=walnut', { lagging: true });
    const plain = await call(url, 'GET', '/api/content');
    const closed = close().then(() => happened.push('closed'));
    await pause(50);
    goOn.resolve();
    await closed;
    assert.deepEqual(happened, ['round', 'closed']);
    assert.deepEqual([search.body.data.total, search.headers.get('stoa-index-lag')], [0, '1']);
    assert.deepEqual([plain.body.data.total, plain.headers.get('stoa-index-lag')], [1, null]);
  });
});

const BREAK: Record<string, string> = {
  SQLite: `CREATE TRIGGER derived.broken BEFORE INSERT ON content_search_state BEGIN SELECT RAISE(ABORT, 'it broke'); END`,
  PostgreSQL: `CREATE FUNCTION broken() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RAISE 'it broke'; END $$;
    CREATE TRIGGER broken BEFORE DELETE ON content_search_queue EXECUTE FUNCTION broken()`,
};
const MEND: Record<string, string> = {
  SQLite: 'DROP TRIGGER derived.broken',
  PostgreSQL: 'DROP TRIGGER broken ON content_search_queue',
};

function countRounds(store: Store) {
  const rounds = { failed: 0 };
  const write = store.write.bind(store);
  store.write = async <Input, Output>(operation: WriteOperation<Input, Output>, input: Input) => {
    const isRound = operation.name === indexQueuedContent.name;
    try {
      return await write(operation, input);
    } catch (error) {
      if (isRound) rounds.failed++;
      throw error;
    }
  };
  return rounds;
}
