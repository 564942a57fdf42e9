import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { BoundedLog } from '../../src/domain/bounded-log.ts';
import { measuredFor, Spent, statementsUnderWay } from '../../src/domain/spent.ts';
import type { Store } from '../../src/store/store.ts';
import { timedStore } from '../../src/store/timed-store.ts';
import { openTracing } from '../../src/traces/open.ts';
import { statementText } from '../../src/traces/statement-text.ts';
import { call, newAccount, newItem } from '../support/client.ts';
import { attributesOf, type CollectedSpan, startCollector } from '../support/collector.ts';
import { onEveryEngine, sqlite, type TestEngine } from '../support/engines.ts';
import { verbsNotedBy } from '../support/noted-statements.ts';
import { observed } from '../support/observed.ts';
import { insertAndFail, insertNote, insertNotes, readNote, readNoteLong } from '../support/operations.ts';
import { startService } from '../support/service.ts';
import { openTestStore, WITH_TEST_OPERATIONS } from '../support/store.ts';

const CLIENT = 3;
const FAILED = 2;
const SILENT = { info: () => {}, warn: () => {} };
const NO_LOG = new BoundedLog(SILENT);
/** A text in quotes, or a number that is no part of a name or a placeholder. */
const VALUE = /'|(?<![\w$])\d/;

/** The spans of what is done with a store inside of one traced request. */
async function spansOf(
  t: TestContext,
  engine: TestEngine,
  work: (store: Store) => Promise<unknown>,
  headers: Readonly<Record<string, string>> = {},
  wrap = (store: Store) => store,
): Promise<CollectedSpan[]> {
  const [collector, store] = [
    await startCollector(t),
    wrap(await openTestStore(t, engine, WITH_TEST_OPERATIONS)),
  ];
  const settings = { url: collector.url, headers: {}, serviceName: 'test', ratio: 1 };
  const tracing = openTracing(settings, engine === sqlite ? 'sqlite' : 'postgres', '0', SILENT);
  const trace = tracing.request(headers);
  await measuredFor(new Spent(trace), () => work(timedStore(store, NO_LOG)));
  trace.end('GET', {}, false);
  await tracing.close();
  return collector.spans();
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const span = spans.find((each) => each.name === name);
  assert.ok(span, `${name}: ${spans.map((each) => each.name)}`);
  return span;
}

function below(spans: readonly CollectedSpan[], { spanId }: CollectedSpan): CollectedSpan[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === spanId);
}

onEveryEngine('Traces of statements', (engine) => {
  it('Each statement of a read, of a long read and of a write is a span of its operation, within its time and without values', async (t) => {
    const collector = await startCollector(t);
    const service = await startService(t, engine, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    const { token } = await newAccount(service.url);
    const { id } = await newItem(service.url, token);
    await call(service.url, 'GET', `/api/content/${id}`, { token });
    await call(service.url, 'PUT', `/api/content/${id}`, { token, body: { title: 'a private title' } });
    await call(service.url, 'GET', '/api/content?keyword=private', { token });
    await service.stop();
    const spans = collector.spans();
    const expected = {
      'content.find': ['SELECT visible_content users'],
      'content.update': ['UPDATE content', 'COMMIT'],
      'content.list': ['SELECT'],
    };
    for (const [name, summaries] of Object.entries(expected)) {
      const operation = named(spans, name);
      const statements = below(spans, operation);
      for (const summary of summaries)
        assert.ok(
          statements.some((each) => each.name.startsWith(summary)),
          `${name}: ${statements.map((each) => each.name)}`,
        );
      for (const { startTimeUnixNano: began, endTimeUnixNano: ended } of statements) {
        assert.ok(BigInt(began) >= BigInt(operation.startTimeUnixNano), name);
        assert.ok(BigInt(ended) >= BigInt(began), name);
        assert.ok(BigInt(ended) <= BigInt(operation.endTimeUnixNano), name);
      }
    }
    const statements = spans.filter((span) => 'db.system.name' in attributesOf(span));
    for (const span of statements) {
      const about = attributesOf(span);
      const { 'db.system.name': system, 'db.query.summary': summary, 'db.query.text': text } = about;
      assert.deepEqual([span.kind, summary], [CLIENT, span.name]);
      assert.equal(system, engine.name.toLowerCase());
      assert.doesNotMatch(String(text), VALUE);
      assert.equal(Object.keys(about).length, 3);
    }
    assert.ok(!collector.raw().includes('private'));
  });

  it('An operation of many statements has a span for the first 32, and the number of the others', async (t) => {
    const names = Array.from({ length: 40 }, (_, index) => `note${index}`);
    const spans = await spansOf(t, engine, (store) => store.write(insertNotes, names));
    const operation = named(spans, insertNotes.name);
    assert.equal(below(spans, operation).length, 32);
    // 40 insertions and the commit.
    assert.deepEqual(attributesOf(operation), { 'stoa.statements_without_span': 9 });
  });

  it('A statement that fails has a failed span with the code of its error, and no span tells its message', async (t) => {
    const spans = await spansOf(t, engine, async (store) => {
      await store.write(insertNote, 'a private note');
      await assert.rejects(store.write(insertNote, 'a private note'));
      await assert.rejects(store.write(insertAndFail, { name: 'note', how: 'statement' }));
    });
    const failed = spans.filter((each) => each.status.code === FAILED && each.kind === CLIENT);
    const told = failed.map((each) => `${each.name}: ${attributesOf(each)['error.type']}`);
    // SQLite runs a write again that failed after a change (group-commit.ts).
    assert.deepEqual(
      [...new Set(told)],
      engine === sqlite
        ? ['INSERT secrets: 1555', 'INSERT there_is_no_such_table: 1']
        : ['INSERT secrets: 23505', 'INSERT there_is_no_such_table: 42P01'],
    );
    assert.ok(!JSON.stringify(spans).includes('private'));
  });

  it('Statements are noted for a trace that is kept, and not for another one', async (t) => {
    const notedWith = async (flags: string) => {
      const noted: boolean[] = [];
      const before = () => noted.push(statementsUnderWay() !== undefined);
      const read = (store: Store) => store.read(readNote, 'note');
      const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}`;
      const spans = await spansOf(t, engine, read, { traceparent }, (store) => observed(store, { before }));
      return [noted, spans.length > 0];
    };
    assert.deepEqual(await notedWith('01'), [[true], true]);
    assert.deepEqual(await notedWith('00'), [[false], false]);
  });

  it('Operations that run together note their own statements only', async (t) => {
    const store = await openTestStore(t, engine, WITH_TEST_OPERATIONS);
    const [one, many, long, short] = await Promise.all([
      verbsNotedBy(() => store.write(insertNote, 'one')),
      verbsNotedBy(() => store.write(insertNotes, ['two', 'three'])),
      verbsNotedBy(() => store.read(readNoteLong, 'four')),
      verbsNotedBy(() => store.read(readNote, 'five')),
      store.write(insertNote, 'six'),
    ]);
    assert.deepEqual(one, ['insert', 'COMMIT']);
    assert.deepEqual(many, ['insert', 'insert', 'COMMIT']);
    assert.deepEqual(
      long?.filter((word) => word !== 'COMMIT'),
      ['select'],
    );
    assert.deepEqual(short, ['select']);
  });
});

describe('The text of a statement in a trace', () => {
  it('Each value in a statement becomes a question mark, and names and placeholders stay', () => {
    const sql = `select "a1", 'it''s', 12, 1.5 from "t2"\n  where "x" = $1 and y2 = 'o' limit 3`;
    const { text } = statementText(sql);
    assert.equal(text, 'select "a1", ?, ?, ? from "t2" where "x" = $1 and y2 = ? limit ?');
  });

  it('A long text is cut, and so is a long summary after a whole word', () => {
    const { text, summary } = statementText(
      `select x from ${Array(400).fill('"some_table" join').join(' ')} t`,
    );
    assert.equal(text.length, 2_000);
    assert.ok(summary.length <= 255 && summary.endsWith(' some_table'), summary);
  });

  it('A summary has the verbs and the tables of a statement in their order', () => {
    const summaries = {
      'select "id" from "content" as "c" inner join "users" on true for no key update of "c"':
        'SELECT content users',
      'insert into "a" ("b") select x from "c" on conflict do update set "b" = ?': 'INSERT a SELECT c',
      'update "a" set b = 1 where "b" is distinct from "c"': 'UPDATE a',
      'delete from "derived"."words" where id = 1': 'DELETE derived.words',
      'with x as (delete from "a" returning id) update "b" set c = 1': 'DELETE a UPDATE b',
      'select pg_advisory_xact_lock(1)': 'SELECT pg_advisory_xact_lock',
      COMMIT: 'COMMIT',
    };
    for (const [sql, summary] of Object.entries(summaries)) assert.equal(statementText(sql).summary, summary);
  });
});
