import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Type } from 'typebox';
import { field, optionalText, text } from '../../src/store/field.ts';
import { bodyOf, columnsGiven, columnsSetBy, showTo } from '../../src/store/fields.ts';
import { carriedFields } from '../../src/store/fields-carried.ts';
import { rulesPatched } from '../../src/store/fields-patched.ts';
import { storedTexts } from '../../src/store/fields-stored.ts';

type T = typeof Type;
const rule = (t: T) => t.Optional(t.String({ maxLength: 9 }));
const list = (t: T) => t.Optional(t.Array(t.String()));

const ITEM = {
  name: field({
    column: text('name'),
    schema: (t: T) => t.String(),
    shownTo: ['everybody'],
    setBy: { author: (t: T) => t.String() },
    stored: 'once',
  }),
  subtitle: field({
    column: text('subtitle'),
    schema: rule,
    shownTo: ['everybody'],
    setBy: { author: rule },
    otherwise: '',
    absentIfEmpty: true,
    stored: 'once',
  }),
  parts: field({
    column: text('parts_json'),
    schema: list,
    shownTo: ['everybody'],
    toMember: (json): string[] => JSON.parse(json),
    setBy: { author: list },
    toColumn: (parts) => JSON.stringify(parts),
    otherwise: '[]',
    absentIfEmpty: true,
    stored: 'copied',
  }),
  kind: field({
    column: text('kind'),
    setBy: { author: (t: T) => t.Optional(t.Enum(['new', 'used'], { type: 'string' })) },
    otherwise: 'new',
    stored: 'short',
  }),
  status: field({
    column: text('status'),
    setBy: { author: rule },
    otherwise: 'draft',
    refusesNull: true,
    stored: 'short',
  }),
};

it('Null in a merge patch makes a column what the field is otherwise, unless the field refuses null', () => {
  const { name, subtitle, parts, kind, status } = rulesPatched(ITEM, 'author', Type);
  assert.deepEqual(
    [name, subtitle, parts, kind, status].map((schema) => Object(schema).type),
    ['string', ['string', 'null'], ['array', 'null'], ['string', 'null'], 'string'],
  );
  assert.equal(Object(subtitle).maxLength, 9);
  assert.deepEqual(Object(kind).enum, ['new', 'used', null]);
  assert.deepEqual(columnsGiven(ITEM, 'author')({ subtitle: null, parts: null, kind: null }), {
    subtitle: '',
    parts_json: '[]',
    kind: 'new',
  });
});

it('A body that is made of columns empties those that are empty, and an answer leaves out their members', () => {
  const empty = { name: 'a', subtitle: '', parts_json: '[]' };
  assert.deepEqual(bodyOf(ITEM, 'author')(empty), { name: 'a', subtitle: '', parts: [] });
  assert.deepEqual(bodyOf(ITEM, 'author')({ parts_json: '["x"]' }), { parts: ['x'] });
  assert.deepEqual(showTo(ITEM, 'everybody')(empty), { name: 'a' });
});

it('A field whose empty column has no member stops the start', () => {
  const toMember = (json: string): string[] | undefined => (json === '[]' ? undefined : JSON.parse(json));
  const fields = { parts: { ...ITEM.parts, toMember } };
  assert.throws(() => bodyOf(fields, 'author'), /The field parts has no member where it is empty/);
});

it('A line of an import has each field that registration or the owner sets, unless the field says why not', () => {
  const fields = {
    place: field({ column: text('place'), setBy: { registration: (t: T) => t.String() } }),
    motto: field({ column: optionalText('motto'), setBy: { owner: rule } }),
    code: field({ column: text('code'), setBy: { registration: rule }, notImported: 'It is used once.' }),
    login: field({ column: text('login'), setByVerb: { owner: rule } }),
    made_at: field({ column: text('made_at') }),
  };
  const carried = carriedFields(fields, ['owner', 'registration'], ['login']);
  assert.deepEqual(columnsSetBy(carried, 'import'), ['place', 'motto']);
  const { place, motto } = carried;
  for (const each of [place, motto]) assert.ok(Type.IsOptional(each.setBy.import(Type)));
  assert.equal(Object(motto.setBy.import(Type)).maxLength, 9);
  // @ts-expect-error The compiler refuses a field that somebody sets and that is in no line.
  carriedFields(fields, ['owner', 'registration'], []);
});

it('The bytes of a text count as its field says, and a field of free text says it', () => {
  const row = { name: 'ä', subtitle: 'bc', parts_json: '[]' };
  assert.equal(storedTexts(ITEM, 'author', 'once').bytesOf(row), 4);
  assert.deepEqual(storedTexts(ITEM, 'author', 'copied').names, ['parts_json']);
  const silent = { motto: field({ column: text('motto'), setBy: { author: rule } }) };
  // @ts-expect-error The compiler refuses a field of free text that does not say how its bytes count.
  storedTexts(silent, 'author', 'once');
});
