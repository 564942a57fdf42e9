import { textsOf } from '../content/body-contract.ts';
import { newRow } from '../content/create.ts';
import { CONTENT_FIELDS } from '../content/fields.ts';
import { pastOrNone } from '../content/past.ts';
import { itemStored } from '../content/stored.ts';
import { type ContentWrites, countChange, countWrite } from '../content/writes.ts';
import type { Caller as FullCaller } from '../domain/account.ts';
import { columnsGiven } from '../store/fields.ts';
import { at, type BulkStep } from './bulk.ts';
import type { BulkOperation } from './contract.ts';

/** Milliseconds for the deltas of all long texts. Where they take longer, the other texts are kept whole. */
const PATIENCE_MS = 1_000;

const columnsOf = columnsGiven(CONTENT_FIELDS, 'author');

type Caller = Pick<FullCaller, 'userId'>;

/**
 * Asks the limits of each operation as its own route does. Returns the bytes of the new items, which are already counted
 * as stored, so that the room for one is not given to the next. Fails with the index of the operation.
 */
export async function countBulk(
  parts: ContentWrites,
  caller: Caller,
  operations: readonly BulkOperation[],
): Promise<number> {
  const { stored } = parts;
  let counted = 0;
  try {
    for (const [index, operation] of operations.entries())
      await at(index, async () => {
        if (operation.action === 'delete') return countWrite(parts, caller);
        if (operation.action === 'update') {
          const { id, change } = operation;
          return countChange(parts, { id, caller, content: change.content }, ...textsOf(change));
        }
        const { item } = operation;
        countWrite(parts, caller, ...textsOf(item));
        await stored.requireRoom(caller.userId);
        const bytes = itemStored(newRow(item));
        stored.add(caller.userId, bytes);
        counted += bytes;
      });
  } catch (error) {
    stored.add(caller.userId, -counted);
    throw error;
  }
  return counted;
}

/** The steps of the write, with the deltas of long texts that are replaced, as far as there is time for them. */
export async function stepsOf(
  { store }: ContentWrites,
  { userId }: Caller,
  operations: readonly BulkOperation[],
): Promise<BulkStep[]> {
  const end = performance.now() + PATIENCE_MS;
  const steps: BulkStep[] = [];
  for (const [index, operation] of operations.entries()) {
    if (operation.action === 'create') {
      steps.push({ action: 'create', row: newRow(operation.item) });
      continue;
    }
    const { action, id, version } = operation;
    const onlyIf = version === undefined ? undefined : [{ version }];
    if (action === 'delete') {
      steps.push({ action, id, onlyIf });
      continue;
    }
    const past = performance.now() < end ? await pastOrNone(store, { id, userId }) : undefined;
    const columns = await at(index, async () => columnsOf(operation.change));
    steps.push({ action, id, onlyIf, columns, past });
  }
  return steps;
}
