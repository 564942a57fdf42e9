import type { Generated } from 'kysely';
import type { RowFor, TableOf } from '../store/field-types.ts';
import { columnsFor } from '../store/fields.ts';
import { countsOf, type FeatureTables } from '../store/tables.ts';
import { ACCOUNT_FIELDS, type AccountFields } from './fields.ts';

declare module '../store/tables.ts' {
  interface Tables {
    users: Users;
    /** The users that everybody may see: lists and searches read this view, never `users`. */
    visible_users: Users;
    /** When each account last signed in, with an index, on PostgreSQL (src/schema/0047_sign_in_order.ts). */
    sign_in_order: { id: number; last_sign_in_at: number | null };
    /** `user_id` is null where names of ASCII alone share the skeleton; `names` is how many have it. */
    username_skeletons: { skeleton: string; user_id: number | null; names: Generated<number> };
    /** Names that were given up; nobody but this account gets them while the row is there. */
    reserved_names: { username_key: string; username: string; user_id: number; free_at: number };
  }
}

type Users = TableOf<AccountFields>;

/** The columns of an account that users see of one another. */
export const USER_COLUMNS = columnsFor(ACCOUNT_FIELDS, 'everybody');
export type UserRow = RowFor<AccountFields, 'everybody'>;

export const accountTables: FeatureTables = {
  carried: ['users', 'username_skeletons', 'reserved_names'],
  derived: [...countsOf('users'), 'users_search', 'sign_in_order'],
  counted: ['users'],
};
