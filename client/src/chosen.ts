import type { Content, ContentListItem, ContentSelection } from './types.gen.ts';

/** The `fields` and the `format` that a query may have. The members of the items in the answer follow from them. */
export type Fields = string | undefined;
export type Format = 'json' | 'html' | undefined;

/** True where an operation has this parameter. */
export type Has<Parameter extends string, Query> = [NonNullable<Query>] extends [never]
  ? false
  : Parameter extends keyof NonNullable<Query>
    ? true
    : false;

/** What a call gives as `fields` and `format`, where its operation has them. */
export type Choice<Query, Names extends Fields, Form extends Format> = (Has<'fields', Query> extends true
  ? { query?: { fields?: Names } }
  : unknown) &
  (Has<'format', Query> extends true ? { query?: { format?: Form } } : unknown);

/** Without `fields` an item has all its members, and with `fields` any of them. Other answers stay as they are. */
export type Chosen<Query, Value, Names extends Fields, Form extends Format> =
  Has<'fields', Query> extends true
    ? [Value] extends [{ items: (infer Item)[] }]
      ? Omit<Value, 'items'> & { items: ItemOf<Item, Names, Form>[] }
      : ItemOf<Value, Names, Form>
    : Value;

type ItemOf<Item, Names extends Fields, Form extends Format> = [Names] extends [undefined]
  ? Formed<Whole<Item>, Form>
  : ContentSelection;

/** Without `ContentSelection`, which says of no member that it is there. */
type Whole<Item> = Item extends Content | ContentListItem ? Item : never;

/** With `html` an item has its HTML in the place of its text. */
type Formed<Item, Form extends Format> = Form extends 'html'
  ? Omit<Item, 'content'> & { html: string }
  : Item;
