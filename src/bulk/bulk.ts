import { isChangeableBy } from '../content/change.ts';
import { insertNamed, type newRow } from '../content/create.ts';
import { deleteContent } from '../content/delete.ts';
import type { ContentFields } from '../content/fields.ts';
import type { Past } from '../content/keep-version.ts';
import type { OnlyIf } from '../content/precondition.ts';
import { ITEM_BYTES, itemBytes } from '../content/stored.ts';
import { updateContent } from '../content/update.ts';
import { Failure, limitReached } from '../domain/failure.ts';
import { type OnceKey, once } from '../services/idempotency/once.ts';
import { type CallerInput, callerWrite } from '../sessions/caller-write.ts';
import type { ColumnsSetBy } from '../store/field-types.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Bytes of the items that the changes and deletions of one write may concern, so that the write is short. */
const MOST_BYTES = 4 * 1024 * 1024;

interface OfItem {
  readonly id: number;
  readonly onlyIf: OnlyIf | undefined;
}

export type BulkStep =
  | { readonly action: 'create'; readonly row: ReturnType<typeof newRow> }
  | (OfItem & {
      readonly action: 'update';
      readonly columns: Partial<ColumnsSetBy<ContentFields, 'author'>>;
      readonly past?: Past | undefined;
    })
  | (OfItem & { readonly action: 'delete' });

/** The id of the item, and its version unless the item was deleted. */
export type BulkResult = readonly [id: number, version?: number];

/** What a write added to what an author has stored. Items that are created or deleted are not counted here. */
interface Added {
  readonly userId: number;
  readonly bytes: number;
}

interface BulkInput extends CallerInput {
  readonly steps: readonly BulkStep[];
  readonly key: OnceKey | undefined;
  /** True where the service keeps no trash. */
  readonly isForGood: boolean;
}

interface Done {
  /** JSON of `BulkResult[]`. */
  readonly answer: string;
  readonly isNew: boolean;
  readonly added: readonly Added[];
}

/**
 * Makes all steps in order, each as its own operation would, or none. A `callerWrite`. Fails as the first step that fails,
 * with its `index`; with `limit_reached` where the items have too much text together; or as `once`, if there is a key.
 */
export const bulkContent = callerWrite(
  'bulk.change',
  async (db, input: BulkInput, _caller, engine): Promise<Done> => {
    const added: Added[] = [];
    const make = () => takeSteps(db, engine, input, added);
    const { key, now } = input;
    if (key) return { ...(await once(db, engine, { key, now }, make)), added };
    return { answer: JSON.stringify(await make()), isNew: true, added };
  },
);

async function takeSteps(
  db: Db,
  engine: Engine,
  { steps, isForGood, caller, now }: BulkInput,
  added: Added[],
): Promise<BulkResult[]> {
  const bytes = await lockItems(db, steps, caller);
  const results: BulkResult[] = [];
  let sum = 0;
  for (const [index, step] of steps.entries()) {
    const take = async (): Promise<BulkResult> => {
      if (step.action === 'create') {
        const { id } = await insertNamed(db, engine, { row: step.row, caller, now });
        return [id, 1];
      }
      const { id } = step;
      sum += bytes.get(id) ?? 0;
      if (step.action === 'delete') {
        await deleteContent.run(db, { id, onlyIf: step.onlyIf, isForGood, caller, now }, engine);
        return [id];
      }
      const item = await updateContent.run(db, { ...step, caller, now }, engine);
      bytes.set(id, itemBytes(item));
      added.push({ userId: item.author_id, bytes: item.added });
      return [id, item.version];
    };
    results.push(await at(index, take));
    await at(index, async () => requireShort(sum));
  }
  return results;
}

/** Asked after the rules of the step, so that nobody learns the size of an item that they may not change. */
function requireShort(bytes: number): void {
  if (bytes > MOST_BYTES)
    throw limitReached(
      `The items that these operations change have more than ${MOST_BYTES / 1024 / 1024} MiB of text together; send fewer operations in a request.`,
    );
}

/**
 * Locks the items in the order of their ids, so that two such writes do not wait for each other. Returns the bytes of
 * each. An item that the caller may not change is not locked, because its author would wait for all steps. Its own step
 * is refused.
 */
async function lockItems(
  db: Db,
  steps: readonly BulkStep[],
  caller: CallerInput['caller'],
): Promise<Map<number, number>> {
  const ids = steps.flatMap((step) => (step.action === 'create' ? [] : [step.id]));
  if (ids.length === 0) return new Map();
  const items = await db
    .selectFrom('content')
    .select(['id', ITEM_BYTES.as('bytes')])
    .where('id', 'in', [...new Set(ids)])
    .where(isChangeableBy(caller))
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(items.map(({ id, bytes }) => [id, bytes]));
}

/** Does what a step needs. A failure gets the index of the step. */
export async function at<Output>(index: number, work: () => Promise<Output>): Promise<Output> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure({ ...error.data, more: { ...error.data.more, index } }, error.cause);
  }
}
