import type { Past } from '../content/keep-version.ts';
import { recordEvent } from '../services/audit/record.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { type NextItem, nextItems } from './next-items.ts';
import { relabelDraft, relabelItem } from './relabel.ts';
import { type LabelRename, newestId } from './rename.ts';
import { type LabelKind, PARTS } from './tables.ts';

/**
 * A round that changes nothing is the last, if no visible item has the old name then. Others may write the old name faster
 * than it is taken away, so after so many rounds the renaming ends all the same.
 */
const ROUNDS = 5;

function selectRunning(db: Db) {
  return db.selectFrom('label_renames').where('ended_at', 'is', null);
}

function running(db: Db, kind: LabelKind): Promise<LabelRename | undefined> {
  return selectRunning(db).selectAll().where('kind', '=', kind).executeTakeFirst();
}

/** The kinds of label whose renaming runs. */
export const kindsInRename = readOperation(
  'labels.kinds_in_rename',
  async (db, _: null): Promise<LabelKind[]> => {
    const renames = await selectRunning(db).select('kind').execute();
    return renames.map(({ kind }) => kind);
  },
);

/** What a step changes, and where the renaming stood when that was read. */
interface NextStep {
  readonly place: string;
  readonly items: readonly NextItem[];
}

function placeOf({ round, part, after_id }: LabelRename): string {
  return `${round} ${part} ${after_id}`;
}

/** What the next step would change. Undefined where no renaming runs. */
export const nextOfRename = readOperation(
  'labels.next_of_rename',
  async (db, kind: LabelKind): Promise<NextStep | undefined> => {
    const rename = await running(db, kind);
    if (!rename) return undefined;
    const items = rename.part === 'drafts' ? [] : (await nextItems(db, rename)).items;
    return { place: placeOf(rename), items };
  },
  () => true,
);

interface Step extends Pick<NextStep, 'place'> {
  readonly kind: LabelKind;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** By the id of the item: how its text can be kept. */
  readonly pasts: Readonly<Record<number, Past>>;
}

/** Whose stored bytes a change of an item changed, and by how much. */
interface Added {
  readonly authorId: number;
  readonly added: number;
}

/**
 * Renames the label of some items, and says in the same transaction where the next step goes on. So a step is made wholly
 * or not at all, whenever the process ends. One instance at a time. Changes nothing where another one has made the step
 * meanwhile, because the texts of the next one would be kept whole.
 */
export const renameStep = writeOperation(
  'labels.rename_step',
  async (db, { kind, place, now, pasts }: Step, engine): Promise<Added[]> => {
    await engine.lock(db, 'renaming labels');
    const rename = await running(db, kind);
    if (!rename || placeOf(rename) !== place) return [];
    const { items, after } = await nextItems(db, rename);
    const relabel = rename.part === 'drafts' ? relabelDraft : relabelItem;
    const changed: Added[] = [];
    for (const { id, author_id: authorId } of items) {
      const added = await relabel(db, rename, { id, now, past: pasts[id] });
      if (added !== undefined) changed.push({ authorId, added });
    }
    const counts = { in_round: rename.in_round + changed.length, items: rename.items + changed.length };
    await goOn(db, { ...rename, ...counts }, { after, now });
    return changed;
  },
  { isBackground: true },
);

async function goOn(
  db: Db,
  rename: LabelRename,
  { after, now }: { readonly after: number | undefined; readonly now: number },
): Promise<void> {
  const next = PARTS[PARTS.indexOf(rename.part) + 1];
  const place = await placeAfter();
  await db
    .updateTable('label_renames')
    .set({ in_round: rename.in_round, items: rename.items, ...place })
    .where('kind', '=', rename.kind)
    .execute();

  async function placeAfter(): Promise<Partial<LabelRename>> {
    if (after !== undefined) return { after_id: after };
    if (next) return { part: next, after_id: 0 };
    const first = { part: 'visible', after_id: 0, last_id: await newestId(db) } as const;
    const round = rename.round + 1;
    // An item that was restored or published between two parts was in neither.
    const isLeft = async () => (await nextItems(db, { ...rename, ...first })).items.length > 0;
    if (round <= ROUNDS && (rename.in_round > 0 || (await isLeft()))) return { ...first, round, in_round: 0 };
    const { kind, started_by: actorId, items } = rename;
    await recordEvent(db, {
      event: 'label_rename_ended',
      at: now,
      origin: null,
      ...(actorId !== null && { actorId }),
      detail: { kind, items: String(items) },
    });
    return { ended_at: now };
  }
}
