import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Asker } from '../../src/domain/admission/fair-queue.ts';
import { ADMISSION } from '../../src/domain/admission/figures.ts';
import { Failure } from '../../src/domain/failure.ts';
import { Thread } from '../../src/domain/thread.ts';
import { BoundedThread } from '../../src/domain/thread-with-bounds.ts';
import { type MarkdownText, Rendering } from '../../src/services/rendering/rendering.ts';
import { newAccount, newItem } from '../support/client.ts';
import { DEAR_MARKDOWN } from '../support/dear-text.ts';
import { outcomeOf } from '../support/during.ts';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { stopwatch } from '../support/stopwatch.ts';

const ASKER: Asker = { name: 'somebody', isSignedIn: true };
const MINUTE = 60_000;
const PATIENCE_MS = 200;
/** Takes longer than any patience. */
const DEAR = '[a](<b>'.repeat(140_000);
/** Has the thread of long texts, and is made at once. */
const LONG = `*x*${'\n'.repeat(64 * 1024)}`;

/** The HTML and its key: made at last, however busy the machine is. */
async function madeOf(
  rendering: Rendering,
  name: string,
  text = '*x*',
): Promise<{ key: string; html: string }> {
  for (let round = 0; ; round++) {
    const key = `${name} ${round}`;
    const html = await rendering.html(ASKER, textOf(key, text)).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.data.error !== 'busy' || round === 50) throw error;
    });
    if (html !== undefined) return { key, html };
  }
}

/** Every other text is one of another account. */
function textOf(
  key: string,
  text: string,
  userId = nextUser++,
  kind: MarkdownText['kind'] = 'item',
): MarkdownText {
  return { key, text, kind, userId };
}
let nextUser = 1;

/** Each text takes too much of a processor, however busy the machine is, until the mock is restored. */
function meetsCost(t: TestContext) {
  return t.mock.method(BoundedThread.prototype, 'call', async () => ({ met: 'cost' }));
}

it('Markdown that takes too long is given up in time, beside other work, and the next text is made', async () => {
  const rendering = new Rendering({ clock: () => 0, patience: PATIENCE_MS });
  let [refused, most] = [0, 0];
  for (const [index, text] of DEAR_MARKDOWN.entries()) {
    let [turns, isDone] = [0, false];
    const html = outcomeOf(rendering.html(ASKER, textOf(`dear ${index}`, text))).finally(() => {
      isDone = true;
    });
    for (; !isDone; turns++) await nextTurn();
    most = Math.max(most, turns);
    const outcome = await html;
    assert.ok(outcome === 'busy' || outcome.startsWith('<'), outcome.slice(0, 200));
    if (outcome === 'busy') refused++;
    assert.equal((await madeOf(rendering, `next ${index}`, LONG)).html, '<p><em>x</em></p>\n');
  }
  assert.ok(refused > 0);
  // On a busy machine the calling thread may sleep while one of the texts is made, but not while each is.
  assert.ok(most > 10, 'the calling thread goes on');
});

it('Long texts that take too long, of several askers, keep no short one waiting', async () => {
  const rendering = new Rendering({ clock: () => 0, patience: 4 * PATIENCE_MS });
  let over = 0;
  const dear = Array.from({ length: 2 }, (_, index) => {
    const asker = { name: `dear ${index}`, isSignedIn: true };
    return outcomeOf(rendering.html(asker, textOf(asker.name, DEAR))).finally(() => {
      over++;
    });
  });
  const ours = stopwatch();
  assert.equal((await madeOf(rendering, 'short')).html, '<p><em>x</em></p>\n');
  // On a busy machine one of them may be over meanwhile.
  assert.ok(over === 0 || ours() < 4 * PATIENCE_MS, 'it waited for none of them');
  await Promise.all(dear);
});

it('The refusal of a text that takes too long says what is true of an item and of a preview', async (t) => {
  const rendering = new Rendering({ clock: () => 0 });
  meetsCost(t);
  await assert.rejects(rendering.html(ASKER, textOf('dear', DEAR, 0, 'preview')), {
    message: 'This text takes too long to be made into HTML; shorten it, or show it as it is.',
  });
  await assert.rejects(rendering.html(ASKER, textOf('other', LONG, 0, 'preview')), {
    message:
      'Other texts of the same account took too long to be made into HTML; try again in a minute, or show this one as it is.',
  });
});

it('Up to two items that take too long, and any preview, take no HTML from the other items of their author', async (t) => {
  let now = 0;
  const rendering = new Rendering({ clock: () => now, patience: MINUTE });
  const { call: really } = BoundedThread.prototype;
  const make = t.mock.method(
    BoundedThread.prototype,
    'call',
    async function (this: typeof BoundedThread.prototype, text: unknown) {
      return String(text).startsWith('dear') ? { met: 'cost' } : really.call(this, text);
    },
  );
  const tried = (key: string, kind: MarkdownText['kind'] = 'item') =>
    outcomeOf(rendering.html(ASKER, textOf(key, key.startsWith('dear') ? `dear${LONG}` : LONG, 0, kind)));
  const HTML = '<p><em>x</em></p>\n';
  assert.deepEqual([await tried('dear', 'preview'), await tried('preview', 'preview')], ['busy', 'busy']);
  for (const key of ['dear 1', 'dear 2', 'dear 1', 'dear 2']) assert.equal(await tried(key), 'busy');
  assert.equal(make.mock.callCount(), 3, 'each dear text was tried once');
  assert.equal(await tried('other 1'), HTML);
  now += MINUTE / 2;
  assert.deepEqual(
    [await tried('dear 3'), await tried('other 2'), await tried('other 1')],
    ['busy', 'busy', HTML],
  );
  now += MINUTE / 2;
  assert.equal(await tried('other 2'), HTML);
});

it('HTML is made once for a text, and one that took too long is tried again a minute later', async (t) => {
  let now = 0;
  const rendering = new Rendering({ clock: () => now, patience: MINUTE });
  const html = await rendering.html(ASKER, textOf('known', '*x*'));
  assert.equal(await rendering.html(ASKER, textOf('known', 'another text')), html);
  const call = meetsCost(t);
  assert.equal(await outcomeOf(rendering.html(ASKER, textOf('dear', 'short', 0))), 'busy');
  call.mock.restore();
  now += MINUTE - 1;
  assert.equal(await outcomeOf(rendering.html(ASKER, textOf('dear', 'short', 0))), 'busy');
  now += 1;
  assert.equal(await rendering.html(ASKER, textOf('dear', 'short', 0)), '<p>short</p>\n');
});

it('The HTML of an item that many readers ask for at once is made once', async (t) => {
  const call = t.mock.method(BoundedThread.prototype, 'call');
  const { url } = await startService(t, sqlite);
  const { id } = await newItem(url, (await newAccount(url)).token, { content: '*x*' });
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => (await fetch(`${url}/api/content/${id}?format=html`)).json()),
  );
  assert.deepEqual(
    answers.map(({ data }) => data.html),
    Array(8).fill('<p><em>x</em></p>\n'),
  );
  assert.equal(call.mock.callCount(), 1);
});

it('A short text that needs more memory than short texts have is made among the long ones, as is the next', async () => {
  const rendering = new Rendering({ clock: () => 0, patience: MINUTE });
  const table = `${'|a'.repeat(40)}|\n${'|-'.repeat(40)}|\n${'x\n'.repeat(29_000)}`;
  assert.match(await rendering.html(ASKER, textOf('table', table, 1)), /^<table>/);
  assert.equal(await rendering.html(ASKER, textOf('next', '*x*', 1)), '<p><em>x</em></p>\n');
});

it('A text whose thread gets little of a processor has six times as long, whatever it used before', async (t) => {
  const rendering = new Rendering({ clock: () => 0, patience: 100 });
  t.mock.method(Thread.prototype, 'processorTime', async () => 60_000);
  // The thread runs, because its start takes long on a busy machine.
  await madeOf(rendering, 'before', LONG);
  const [began, ours] = [performance.now(), stopwatch()];
  assert.equal(await outcomeOf(rendering.html(ASKER, textOf('long', DEAR))), 'busy');
  const [elapsed, oursElapsed] = [performance.now() - began, ours()];
  assert.ok(elapsed > 600 && oursElapsed < 6_000, `given up after ${elapsed} ms`);
});

it('A text that a busy machine did not make is made at the next request', async (t) => {
  const rendering = new Rendering({ clock: () => 0, patience: MINUTE });
  const call = t.mock.method(BoundedThread.prototype, 'call', async () => ({ met: 'clock' }));
  await assert.rejects(rendering.html(ASKER, textOf('text', '*x*')), ({ data, message }: Failure) => {
    assert.deepEqual([data.error, data.retryAfter], ['busy', 5]);
    assert.match(message, /machine is too busy/);
    return true;
  });
  call.mock.restore();
  assert.equal(await rendering.html(ASKER, textOf('text', '*x*')), '<p><em>x</em></p>\n');
});

it('A text that took too long is tried again where the clock was set back', async (t) => {
  let now = 60 * MINUTE;
  const rendering = new Rendering({ clock: () => now, patience: MINUTE });
  const call = meetsCost(t);
  assert.equal(await outcomeOf(rendering.html(ASKER, textOf('dear', 'short', 0))), 'busy');
  call.mock.restore();
  now -= 1;
  assert.equal(await rendering.html(ASKER, textOf('dear', 'short', 0)), '<p>short</p>\n');
});

it('A text that waits for its turn, or is refused one, is in the metrics', async () => {
  const rendering = new Rendering({ clock: () => 0, patience: MINUTE });
  const { ofAskerWaiting } = ADMISSION.reads;
  // One is made, one is refused, and the others wait.
  const texts = Array.from({ length: ofAskerWaiting + 2 }, (_, index) =>
    outcomeOf(rendering.html(ASKER, textOf(`text ${index}`, '*x*'))),
  );
  const readings = rendering.readings.filter(({ name }) => name.startsWith('stoa_admission_'));
  await Promise.all(texts);
  assert.deepEqual(readings, [
    { name: 'stoa_admission_waiting', value: ofAskerWaiting, labels: { kind: 'html' } },
    { name: 'stoa_admission_refused_total', value: 1, labels: { reason: 'html' } },
  ]);
});

it('A thread that cannot start fails the request, and its text is not refused afterwards', async (t) => {
  // On a busy machine the thread that starts in the end may need long.
  const rendering = new Rendering({ clock: () => 0, patience: MINUTE });
  const start = t.mock.method(Thread.prototype, 'start', () => Promise.reject(new Error('no thread')));
  await assert.rejects(rendering.html(ASKER, textOf('text', '*x*')), /no thread/);
  start.mock.restore();
  assert.equal(await rendering.html(ASKER, textOf('text', '*x*')), '<p><em>x</em></p>\n');
});
