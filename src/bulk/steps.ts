import { textsOf } from '../content/body-contract.ts';
import { newRow } from '../content/create.ts';
import { CONTENT_FIELDS } from '../content/fields.ts';
import { pastOrNone } from '../content/past.ts';
import { itemStored } from '../content/stored.ts';
import { bytesOf, type ContentWrites, mebibytesOf, requireRoomForChange } from '../content/writes.ts';
import type { Caller as FullCaller } from '../domain/account.ts';
import { limitReached } from '../domain/failure.ts';
import type { LocalLimit, LocalLimits } from '../services/limits/local.ts';
import { columnsGiven } from '../store/fields.ts';
import { at, type BulkStep } from './bulk.ts';
import type { BulkOperation } from './contract.ts';
import { sizesOfItems } from './sizes.ts';

/** Milliseconds for the deltas of all long texts. Where they take longer, the other texts are kept whole. */
const PATIENCE_MS = 1_000;

const TOO_MANY =
  'These operations are more than an account may write within an hour; send fewer operations in a request.';

const columnsOf = columnsGiven(CONTENT_FIELDS, 'author');

type Caller = Pick<FullCaller, 'userId'>;

/**
 * Asks the limits that each operation's own route asks: those of the hour for all operations together, then the room of
 * each. Returns the bytes of the new items, which are already counted as stored, so that the room for one is not given to
 * the next. Fails with the index of the operation.
 */
export async function countBulk(
  parts: ContentWrites,
  caller: Caller,
  operations: readonly BulkOperation[],
): Promise<number> {
  await countWrites(parts, caller, operations);
  const { stored } = parts;
  let counted = 0;
  try {
    for (const [index, operation] of operations.entries())
      await at(index, async () => {
        if (operation.action === 'delete') return;
        if (operation.action === 'update') {
          const { id, change } = operation;
          return requireRoomForChange(parts, { id, caller, content: change.content });
        }
        const { item } = operation;
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

/**
 * Takes what all operations count from the limits of the hour, or nothing. One by one, a request that is refused would
 * use up what is left, and find as little at its next try.
 */
async function countWrites(
  { limits, store }: ContentWrites,
  { userId }: Caller,
  operations: readonly BulkOperation[],
): Promise<void> {
  const ones = operations.map(() => 1);
  const ids = operations.flatMap(keepsText);
  const stored = ids.length > 0 ? await store.read(sizesOfItems, { userId, ids }) : new Map<number, number>();
  const mebibytes = operations.map((operation) => mebibytesOf(writtenBy(operation, stored)));
  await spendAll(limits, 'writes', userId, ones);
  try {
    await spendAll(limits, 'writtenMebibytes', userId, mebibytes);
  } catch (error) {
    limits.giveBack('writes', userId, operations.length);
    throw error;
  }
}

/** The id of an item that is changed and keeps its text. SQLite writes that again. */
function keepsText(operation: BulkOperation): number[] {
  return operation.action === 'update' && operation.change.content === undefined ? [operation.id] : [];
}

function writtenBy(operation: BulkOperation, stored: ReadonlyMap<number, number>): number {
  if (operation.action === 'delete') return 0;
  const bytes = bytesOf(textsOf(operation.action === 'create' ? operation.item : operation.change));
  return Math.max(bytes, ...keepsText(operation).map((id) => stored.get(id) ?? 0));
}

/** Fails with the index of the first operation that is too much, and with `limit_reached` where waiting does not help. */
async function spendAll(
  limits: LocalLimits,
  limit: LocalLimit,
  userId: number,
  amounts: readonly number[],
): Promise<void> {
  const { most, left } = limits.roomOf(limit, userId);
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  // A single write counts as the whole limit at most.
  if (sum > most && amounts.length > 1)
    await at(Math.max(1, firstBeyond(most, amounts)), async () => {
      throw limitReached(TOO_MANY);
    });
  await at(firstBeyond(left, amounts), async () => limits.spend(limit, userId, sum));
}

function firstBeyond(room: number, amounts: readonly number[]): number {
  let sum = 0;
  return amounts.findIndex((amount) => {
    sum += amount;
    return sum > room;
  });
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
