import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { newName } from '../../support/client.ts';
import { stopwatch } from '../../support/stopwatch.ts';

/** A word that no other test writes. */
export const newWord = () => newName('word');

/** The ids of a page, in its order. */
export const idsOf = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id);

/** Waits until something is so. Fails after two minutes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const elapsed = stopwatch();
  while (!(await isSo())) {
    assert.ok(elapsed() < 120_000, 'it did not become so in two minutes');
    await pause(50);
  }
}
