import { hash } from 'node:crypto';
import { SHAPE } from '../content/entity-tag-contract.ts';
import type { Selection } from '../content/selection.ts';

/**
 * The entity tag of a part of a list: the keys of the states of its items, and what the answer says besides. It never
 * looks like the tag of an item.
 */
export function pageTagOf(keys: readonly string[], besides: object, selection?: Selection): string {
  const about = [SHAPE, JSON.stringify(besides), selection?.tag, ...keys];
  return `"page-${hash('sha256', about.join('\n'), 'base64url').slice(0, 22)}"`;
}
