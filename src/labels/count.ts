import type { Job } from '../domain/jobs.ts';
import { type Engine, readOperation, writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import {
  type Added,
  addedBy,
  type LabelChange,
  labelKey,
  MOST_CHANGES,
  MOST_LABELS,
  namesIn,
  readChanges,
} from './changes.ts';
import type { LabelKind } from './tables.ts';

/** Labels in one statement. */
const AT_ONCE = 200;
const EVERY_MS = 250;
const KINDS: readonly LabelKind[] = ['tag', 'category'];

export const hasLabelChanges = readOperation(
  'labels.has_changes',
  async (db, _: null): Promise<boolean> => (await readChanges(db, 1)).length > 0,
);

/** Adds the oldest changes up into the counts. True while more may wait. Only one instance at a time. */
export const countLabels = writeOperation(
  'labels.count',
  async (db, _: null, engine: Engine): Promise<boolean> => {
    await engine.lock(db, 'counting labels');
    const read = await readChanges(db, MOST_CHANGES);
    const changes = withFewLabels(read);
    if (changes.length === 0) return false;
    for (const kind of KINDS) await add(db, kind, [...addedBy(changes, kind)].sort());
    const places = changes.map(({ place }) => place);
    await db.deleteFrom('label_changes').where('place', 'in', places).execute();
    return read.length === MOST_CHANGES || changes.length < read.length;
  },
  { isBackground: true },
);

/** The first of the changes: one at least. */
function withFewLabels(changes: readonly LabelChange[]): LabelChange[] {
  let labels = 0;
  return changes.filter((change, at) => {
    labels += namesIn(change, 'tag').length + 1;
    return at === 0 || labels <= MOST_LABELS;
  });
}

async function add(db: Db, kind: LabelKind, added: readonly (readonly [string, Added])[]): Promise<void> {
  for (let from = 0; from < added.length; from += AT_ONCE) {
    const some = added.slice(from, from + AT_ONCE);
    const names = some.map(([name]) => name);
    await db
      .insertInto('label_counts')
      .values(some.map(([name, sum]) => ({ kind, name, name_key: labelKey(name), ...sum })))
      .onConflict((conflict) =>
        conflict.columns(['kind', 'name']).doUpdateSet((eb) => ({
          items: eb('label_counts.items', '+', eb.ref('excluded.items')),
          public_items: eb('label_counts.public_items', '+', eb.ref('excluded.public_items')),
        })),
      )
      .execute();
    await db
      .deleteFrom('label_counts')
      .where('kind', '=', kind)
      .where('name', 'in', names)
      .where('items', '=', 0)
      .execute();
  }
}

/** Adds up, in small steps, what triggers have noted of the labels of changed items. */
export function labelsJob(store: Store): Job {
  const run = async (): Promise<boolean> =>
    (await store.read(hasLabelChanges, null)) && store.write(countLabels, null);
  return { name: 'counting labels', every: EVERY_MS, run };
}

/** Work that a move leaves behind. */
export const labelsBacklog = {
  step: 'counting the labels',
  left: async (db: Db): Promise<number> => {
    const { changes } = await db
      .selectFrom('label_changes')
      .select((eb) => eb.fn.countAll<number>().as('changes'))
      .executeTakeFirstOrThrow();
    return Number(changes);
  },
  work: countLabels,
};
