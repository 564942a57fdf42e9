import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { newName } from '../../support/client.ts';
import { stopwatch } from '../../support/stopwatch.ts';

/** A word that no other test writes. */
export const newWord = () => newName('word');

/** The ids of a page, in its order. */
export const idsOf = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id);

/** Waits until something is so. Fails after half a minute. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const elapsed = stopwatch();
  while (!(await isSo())) {
    assert.ok(elapsed() < 30_000, 'it did not become so in half a minute');
    await pause(50);
  }
}
