import { setImmediate as nextTurn } from 'node:timers/promises';

/** Listeners of one turn of the event loop: a millisecond or two, so that requests hardly wait. */
const PER_TURN = 100;

/** Does something for each, in several turns of the event loop. */
export async function inTurns<Item>(items: readonly Item[], work: (item: Item) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % PER_TURN === 0) await nextTurn();
    work(item);
  }
}
