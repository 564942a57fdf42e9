import { type RawBuilder, sql } from 'kysely';
import { offsetOf, type PageRequest } from '../domain/page.ts';
import type { Engine } from '../store/operation.ts';
import type { Sort } from './admin-contract.ts';

interface Order {
  /** The index has this column, which names an account. */
  readonly key: 'id' | 'username_key';
  readonly by: RawBuilder<unknown>;
  readonly opposite: Sort;
}

/** Each order ends with a unique column, so that it is one order. Accounts that never signed in come first. */
const ORDERS: Record<Sort, Order> = {
  id: { key: 'id', by: sql`id`, opposite: '-id' },
  '-id': { key: 'id', by: sql`id desc`, opposite: 'id' },
  username: { key: 'username_key', by: sql`username_key`, opposite: '-username' },
  '-username': { key: 'username_key', by: sql`username_key desc`, opposite: 'username' },
  created_at: { key: 'id', by: sql`created_at, id`, opposite: '-created_at' },
  '-created_at': { key: 'id', by: sql`created_at desc, id desc`, opposite: 'created_at' },
  last_sign_in_at: {
    key: 'id',
    by: sql`last_sign_in_at nulls first, id`,
    opposite: '-last_sign_in_at',
  },
  '-last_sign_in_at': {
    key: 'id',
    by: sql`last_sign_in_at desc nulls last, id desc`,
    opposite: 'last_sign_in_at',
  },
};

/** The table that has the index of the order. */
export function tableOf(sort: Sort, { name }: Pick<Engine, 'name'>): 'users' | 'sign_in_order' {
  return name === 'postgres' && sort.endsWith('last_sign_in_at') ? 'sign_in_order' : 'users';
}

/** Where a page is in an order: after `offset` accounts, from the beginning or, for the opposite order, from the end. */
export interface Place extends Pick<Order, 'key' | 'by'> {
  readonly limit: number;
  readonly offset: number;
}

/**
 * A page of `total` rows in an order, which `read` reads. A page beyond the middle is read from the end, so the last one
 * costs what the first one does.
 */
export async function fromNearerEnd<Row>(
  sort: Sort,
  request: PageRequest,
  total: number,
  read: (place: Place) => Promise<Row[]>,
): Promise<Row[]> {
  const offset = offsetOf(request);
  if (offset >= total) return [];
  const limit = Math.min(request.per_page, total - offset);
  const beyond = total - offset - limit;
  const order = ORDERS[sort];
  if (offset <= beyond) return read({ ...order, limit, offset });
  return (await read({ ...ORDERS[order.opposite], limit, offset: beyond })).reverse();
}
