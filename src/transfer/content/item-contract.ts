import { type Static, Type } from 'typebox';
import { ContentInput, normaliseTags } from '../../content/body-contract.ts';
import { newRow } from '../../content/create.ts';
import { slug } from '../../content/field-rules.ts';
import { CONTENT_FIELDS, exportedContent } from '../../content/fields.ts';
import { contentFormats } from '../../content/formats-contract.ts';
import { OLD_SLUGS } from '../../content/old-slugs.ts';
import { DraftChange } from '../../drafts/contract.ts';
import { timeFormats } from '../../http/time-query.ts';
import { checkerOf } from '../../http/validators.ts';
import { columnsGiven, stayingColumns } from '../../store/fields.ts';
import { IN_TRASH } from './kept-back.ts';
import { BadItem, type PortableDraft, type PortableItem } from './portable-item.ts';

const time = Type.Optional(Type.String({ format: 'date-time' }));
const account = Type.Optional(
  Type.Object({
    id: Type.Optional(Type.Integer()),
    username: Type.Optional(Type.String({ minLength: 1 })),
    email: Type.Optional(Type.String({ minLength: 1 })),
  }),
);
const DraftBeside = Type.Object(
  {
    ...DraftChange.properties,
    over_version: Type.Optional(Type.Integer()),
    saved_at: time,
    saved_by: account,
  },
  { additionalProperties: false },
);

/** What an exported item has beside what its author sets. Members without a rule here only refer to it. */
const BESIDE = {
  ...Object.fromEntries(
    Object.keys(exportedContent.schemas(Type)).map((name) => [name, Type.Optional(Type.Unknown())]),
  ),
  author: account,
  created_at: time,
  updated_at: time,
  old_slugs: Type.Optional(Type.Array(slug(Type), { maxItems: OLD_SLUGS })),
  draft: Type.Optional(DraftBeside),
};
const Item = Type.Object({ ...BESIDE, ...ContentInput.properties }, { additionalProperties: false });
const check = checkerOf(Item, { ...contentFormats, ...timeFormats });
const columnsOf = columnsGiven(CONTENT_FIELDS, 'author');
const STAYING = stayingColumns(CONTENT_FIELDS);

/** The members of an item, as the routes of content take them, and what its export has beside. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Checks the members of an item by the rules of a creation. `author` is that of all items, if there is one. Fails with a
 * Failure, or with BadItem.
 */
export function portableItem(members: Members, author: string | undefined, now: number): PortableItem {
  normaliseTags(members);
  normaliseTags(members.draft);
  check(members);
  // The check says that the members are of this type.
  const item = members as Static<typeof Item>;
  if (members.trashed_at != null) throw new BadItem(IN_TRASH);
  const createdAt = pastTime('created_at', item.created_at, now);
  const updatedAt = pastTime('updated_at', item.updated_at, now);
  if (updatedAt !== undefined && createdAt === undefined) throw new BadItem('updated_at needs a created_at.');
  const given = columnsOf(item);
  return {
    author: author ?? requireLogin(item.author),
    row: newRow(item),
    staying: STAYING.filter((name) => !Object.hasOwn(given, name)),
    createdAt,
    // The clock of the instance that changed an item may be behind that of the one that created it.
    updatedAt: updatedAt === undefined ? undefined : Math.max(createdAt ?? 0, updatedAt),
    oldSlugs: item.old_slugs,
    draft: item.draft && portableDraft(item.draft, Number(members.version), author, now),
  };
}

/** `version` is that of the item, NaN for none. */
function portableDraft(
  draft: Static<typeof DraftBeside>,
  version: number,
  author: string | undefined,
  now: number,
): PortableDraft {
  const { publish_at: publishAt = null, ...columns } = columnsOf(draft);
  return {
    columns,
    publishAt,
    savedAt: pastTime('draft.saved_at', draft.saved_at, now),
    savedBy: author ?? loginOf(draft.saved_by),
    isOverEarlier: draft.over_version !== undefined && draft.over_version < version,
  };
}

function requireLogin(author: Static<typeof account> | undefined): string {
  const login = loginOf(author);
  if (login === undefined) throw new BadItem('It names no author; name one with --author.');
  return login;
}

/** An address belongs to one person everywhere. A user name of another service may be another person's here. */
function loginOf(named: Static<typeof account> | undefined): string | undefined {
  return named?.email ?? named?.username;
}

function pastTime(name: string, given: string | undefined, now: number): number | undefined {
  if (given === undefined) return undefined;
  const at = Date.parse(given);
  if (at >= 0 && at <= now) return at;
  throw new BadItem(`${name} must be a past time from 1970 on.`);
}
