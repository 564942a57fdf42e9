import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type Account, call, newItem } from '../support/client.ts';
import type { Fleet } from '../support/fleet.ts';
import { command, pick, type Weighted } from '../support/random-runs.ts';
import {
  add,
  type Content,
  change,
  type Item,
  kept,
  listed,
  type Members,
  type Query,
  remove,
  shown,
} from './content-model.ts';

export interface Stage {
  readonly fleet: Fleet;
  /** Two members and an editor, whose tokens live. */
  readonly people: readonly Account[];
}

const EDITOR = 2;
const MOST_AT_ONCE = 20;

/** Several at once, each through another instance. */
async function create(model: Content, { fleet, people }: Stage, who: number, made: Members[]): Promise<void> {
  const { id, username, token } = pick(people, who);
  const now = new Date(fleet.now()).toISOString();
  const added = await Promise.all(
    made.map(async (members, on) => {
      const record = await newItem(fleet.instance(on).url, token, members);
      const author = { id, username };
      const expected: Item = {
        id: record.id,
        ...members,
        tags: kept(members.tags),
        slug: record.slug,
        author,
        version: 1,
        created_at: now,
        updated_at: now,
      };
      assert.deepEqual(record, shown(expected));
      return expected;
    }),
  );
  for (const name of ['id', 'slug'] as const)
    assert.equal(
      new Set([...model.items, ...added].map((item) => item[name])).size,
      model.items.length + added.length,
    );
  add(model, added);
}

async function update(
  model: Content,
  stage: Stage,
  who: number,
  which: number,
  on: number,
  changed: Partial<Members>,
) {
  const { fleet, people } = stage;
  const [item, { token }] = [pick(model.items, which), pick(people, who)];
  const { body } = await call(fleet.instance(on).url, 'PUT', `/api/content/${item.id}`, {
    token,
    body: changed,
  });
  if (!mayChange(people, who, item)) return assert.equal(body.data.error, 'forbidden');
  const after = change(model, item, changed, new Date(fleet.now()).toISOString());
  assert.deepEqual(body.data, shown(after));
  for (const { category } of [item, after])
    await list(model, stage, { page: 1, per_page: 20, category, tag: '', author: undefined }, on);
}

async function deleteOne(model: Content, { fleet, people }: Stage, who: number, which: number, on: number) {
  const [item, { token }] = [pick(model.items, which), pick(people, who)];
  const path = `/api/content/${item.id}`;
  const { body } = await call(fleet.instance(on).url, 'DELETE', path, { token });
  if (!mayChange(people, who, item)) return assert.equal(body.data.error, 'forbidden');
  assert.deepEqual(body.data, { id: item.id });
  remove(model, item);
  assert.equal((await call(fleet.instance(on + 1).url, 'GET', path)).status, 404);
}

function mayChange(people: readonly Account[], who: number, item: Item): boolean {
  const person = pick(people, who);
  return person.id === item.author.id || person === people[EDITOR];
}

async function read(model: Content, { fleet }: Stage, which: number, on: number): Promise<void> {
  const item = pick(model.items, which);
  const { body } = await call(fleet.instance(on).url, 'GET', `/api/content/${item.id}`);
  assert.deepEqual(body.data, shown(item));
}

export async function list(model: Content, { fleet }: Stage, query: Query, on: number): Promise<void> {
  const { author, ...others } = query;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...others, ...(author === undefined ? {} : { author }) }))
    parameters.set(name, String(value));
  const { body } = await call(fleet.instance(on).url, 'GET', `/api/content?${parameters}`);
  assert.deepEqual(body.data, listed(model, query));
}

async function restart(model: Content, { fleet }: Stage, on: number): Promise<void> {
  model.restarts++;
  await fleet.restart(on);
}

const number = fc.nat(1_000);
const on = fc.nat(1);
/** Two spellings of one letter are two labels, and so are two cases. */
const label = fc.constantFrom('a', 'A', 'news', '\u00e9', 'e\u0301', 'x,y', '"x"', '%');
const members = {
  title: fc.constantFrom('A title', '\u{1f600}', 'Straße'),
  // The longest are more than their share of a page of 100, and of one of 20 or more.
  content: fc.constantFrom('', 'text', '\u00e4'.repeat(6_000), `${'\u{1f600}x'.repeat(12_000)}`),
  category: fc.oneof(fc.constant(''), label),
  tags: fc.array(
    fc.oneof(
      label,
      label.map((text) => ` ${text} `),
    ),
    { maxLength: 4 },
  ),
  language: fc.constantFrom('', 'en', 'sr-Latn'),
  // The longest is more than its share of a page of 100.
  meta: fc.constantFrom<object>({}, { b: 1, a: [null] }, { long: '\u00e4'.repeat(2_000) }),
};
const changes = fc.record(members, { requiredKeys: [] }).filter((given) => Object.keys(given).length > 0);
const query = fc.record({
  page: fc.constantFrom(1, 1, 1, 2, 3, 100),
  per_page: fc.constantFrom(1, 3, 20, 100, 1_000),
  category: fc.oneof(fc.constant(''), label),
  tag: fc.oneof(fc.constant(''), label),
});

const hasItems = ({ items }: Content) => items.length > 0;

/** Each with how often it comes beside the others. */
export const COMMANDS: Weighted<Content, Stage>[] = [
  command(
    3,
    'create',
    [number, fc.array(fc.record(members), { minLength: 1, maxLength: MOST_AT_ONCE, size: 'max' })],
    create,
  ),
  command(4, 'update', [number, number, on, changes], update, hasItems),
  command(2, 'delete', [number, number, on], deleteOne, hasItems),
  command(1, 'read', [number, on], read, hasItems),
  command(6, 'list', [query, fc.option(number), on], async (model, stage, filters, who, on) => {
    const author = who === null ? undefined : pick(stage.people, who).id;
    await list(model, stage, { ...filters, author }, on);
  }),
  command(1, 'passTime', [fc.nat(1_000)], async (_, { fleet }, milliseconds) => fleet.passTime(milliseconds)),
  // Long enough for work that waits until nobody asks for anything.
  command(1, 'rest', [], () => pause(50)),
  command(1, 'restart', [on], restart, ({ restarts }) => restarts === 0),
];
