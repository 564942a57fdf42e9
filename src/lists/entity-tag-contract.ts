import { hash } from 'node:crypto';
import type { ListedState } from '../content/contract.ts';
import { SHAPE } from '../content/entity-tag-contract.ts';
import type { Selection } from '../content/selection.ts';
import type { Epoch } from '../domain/epoch.ts';
import { keyOf } from './listed-json.ts';

/** What names a part of a list: the keys of the states of its items, and the entity tag of all of it. */
interface PartNames {
  readonly keys: readonly string[];
  readonly entityTag: string;
}

/** Requests share a part that they read (src/store/shared-reads.ts). Its names are made once. */
const known = new WeakMap<object, PartNames>();

/**
 * The names of a part of a list of these items. `besides` is what the answer says of them, and the same for the same
 * array.
 */
export function namesOf(
  epoch: Epoch,
  items: readonly ListedState[],
  besides: object,
  selection: Selection | undefined,
): PartNames {
  if (selection) return made(epoch, items, besides, selection);
  const names = known.get(items) ?? made(epoch, items, besides);
  known.set(items, names);
  return names;
}

function made(
  epoch: Epoch,
  items: readonly ListedState[],
  besides: object,
  selection?: Selection,
): PartNames {
  const keys = items.map(keyOf);
  return { keys, entityTag: pageTagOf(epoch, keys, besides, selection) };
}

/**
 * The entity tag of a part of a list: the epoch of the database, the keys of the states of its items, and what the answer
 * says besides. It never looks like the tag of an item.
 */
function pageTagOf(epoch: Epoch, keys: readonly string[], besides: object, selection?: Selection): string {
  const about = [epoch.name, SHAPE, JSON.stringify(besides), selection?.tag, ...keys];
  return `"page-${hash('sha256', about.join('\n'), 'base64url').slice(0, 22)}"`;
}
