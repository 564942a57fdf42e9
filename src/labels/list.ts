import { sql } from 'kysely';
import type { Reader } from '../content/visibility.ts';
import { busy } from '../domain/failure.ts';
import { offsetOf, type Page, type PageRequest } from '../domain/page.ts';
import { inTimeOn } from '../store/deadline.ts';
import { readOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { addedBy, labelKey, MOST_CHANGES, MOST_LABELS, readChanges } from './changes.ts';
import { countLabels } from './count.ts';
import type { LabelKind } from './tables.ts';

/** A list adds some changes up first, for so long, where more wait than one round adds up. */
const PATIENCE_MS = 2_000;
/** No name has so many characters. All names that begin with a prefix are before the prefix with these. */
const LAST = '\u{10ffff}'.repeat(64);
/** For `inTimeOn`: the table has no number that differs from row to row. */
const ANY_ROW = sql`random()`;

export interface Label {
  readonly name: string;
  readonly count: number;
}

interface LabelQuery extends PageRequest {
  readonly kind: LabelKind;
  /** Empty for all names. */
  readonly prefix: string;
  readonly reader: Reader;
}

const COLUMNS = { account: 'items', stranger: 'public_items' } as const;

/**
 * The labels of the items that the reader sees, the commonest first. The page comes from the counts in the order of an
 * index, and the changes that are not in the counts yet are added here. Undefined where there are too many of these.
 */
export const listLabels = readOperation(
  'labels.list',
  async (db, query: LabelQuery, engine): Promise<Page<Label> | undefined> => {
    const { kind, reader, page, per_page } = query;
    const changes = await readChanges(db, MOST_CHANGES + 1);
    if (changes.length > MOST_CHANGES) return undefined;
    const sums = addedBy(changes, kind);
    if (sums.size > MOST_LABELS) return undefined;
    const column = COLUMNS[reader];
    const key = labelKey(query.prefix);
    const isAsked = (name: string) => key === '' || labelKey(name).startsWith(key);
    const added = [...sums].filter(([name, sum]) => sum[column] !== 0 && isAsked(name));
    const before = await countsOf(
      db,
      query,
      added.map(([name]) => name),
    );
    const now = added.map(([name, sum]) => ({ name, count: (before.get(name) ?? 0) + sum[column] }));
    const counted = select(db, query, key).where(inTimeOn(engine, ANY_ROW));
    const { rows } = await counted.select(sql<number>`count(*)`.as('rows')).executeTakeFirstOrThrow();
    const gone = [...before].map(([name, count]) => ({ name, count }));
    const there = now.filter(({ count }) => count > 0);
    const total = Number(rows) - gone.length + there.length;

    // Each label that changed moves the others by one place at most.
    const offset = offsetOf(query);
    const start = Math.max(0, offset - added.length);
    const window = await counted
      .select(['name', `${column} as count`])
      .orderBy(column, 'desc')
      .orderBy('name')
      .limit(per_page + 2 * added.length)
      .offset(Math.min(start, Number(rows)))
      .execute();
    const [first] = window;
    const isBefore = (label: Label) => start > 0 && first !== undefined && compare(label, first) < 0;
    const skipped = start - gone.filter(isBefore).length + there.filter(isBefore).length;
    const items = [
      ...window.filter(({ name }) => !before.has(name)),
      ...there.filter((each) => !isBefore(each)),
    ]
      .sort(compare)
      .slice(offset - skipped, offset - skipped + per_page);
    return { items: offset < total ? items : [], total, page, per_page };
  },
  () => true,
);

/** The commonest first, then by the bytes of the name, as the index has them. */
function compare(one: Label, other: Label): number {
  return other.count - one.count || Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));
}

function select(db: Db, { kind, reader }: LabelQuery, key: string) {
  return db
    .selectFrom('label_counts')
    .where('kind', '=', kind)
    .where(COLUMNS[reader], '>', 0)
    .$if(key !== '', (query) => query.where('name_key', '>=', key).where('name_key', '<=', key + LAST));
}

/** What is counted of those of the names that the counts have. */
async function countsOf(db: Db, query: LabelQuery, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await select(db, query, '')
    .select(['name', `${COLUMNS[query.reader]} as count`])
    .where('name', 'in', names)
    .execute();
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** The same. Fails with `busy` where very many changes wait, as after the upgrade of a large installation. */
export async function listedLabels(store: Store, query: LabelQuery): Promise<Page<Label>> {
  const until = performance.now() + PATIENCE_MS;
  do {
    const page = await store.read(listLabels, query);
    if (page) return page;
    await store.write(countLabels, null);
  } while (performance.now() < until);
  throw busy('The labels are still being counted; try again shortly.', 5);
}
