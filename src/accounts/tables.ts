import type { Generated, Selectable } from 'kysely';
import type { Role, Scope } from '../domain/account.ts';
import { countsOf, type FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    users: Users;
    /** The users that everybody may see: lists and searches read this view, never `users`. */
    visible_users: Users;
    /** `user_id` is null where names of ASCII alone share the skeleton; `names` is how many have it. */
    username_skeletons: { skeleton: string; user_id: number | null; names: Generated<number> };
    /** Names that were given up; nobody but this account gets them while the row is there. */
    reserved_names: { username_key: string; username: string; user_id: number; free_at: number };
    sessions: {
      id: string;
      user_id: number;
      token_hash: string;
      successor_sealed: string | null;
      created_at: number;
      rotated_at: number;
      idle_expires_at: number;
      absolute_expires_at: number;
      ended_at: number | null;
      ended_because: SessionEnd | null;
      device: string | null;
      address: string | null;
      /** Null where a person signed in. */
      scope: Scope | null;
      /** The name that its owner gave it. */
      label: string | null;
    };
  }
}

interface Users {
  id: Generated<number>;
  username: string;
  username_key: string;
  email: string;
  email_key: string;
  password_hash: string;
  role: Role;
  visible: Generated<0 | 1>;
  created_at: number;
  disabled_at: number | null;
  display_name: string | null;
  /** JSON: an object of the owner's. */
  profile: string | null;
  /** 1 where a password alone signs nobody in (auth/second-factor). */
  second_factor: Generated<0 | 1>;
  /** When the address was proved last; null where nobody proved it. */
  email_verified_at: number | null;
  last_sign_in_at: number | null;
  must_change_password: Generated<0 | 1>;
  closes_at: number | null;
  closing_content: ClosingContent | null;
}

/** What becomes of the content of an account that is removed. */
export const CLOSING_CONTENT = ['keep', 'delete'] as const;
export type ClosingContent = (typeof CLOSING_CONTENT)[number];

/** The columns of an account that users see of one another (users/contract.ts). */
export const USER_COLUMNS = ['id', 'username', 'email', 'created_at'] as const;
export type UserRow = Pick<Selectable<Users>, (typeof USER_COLUMNS)[number]>;

/**
 * Why a session ended. `logout` is also the reason when its owner ends it from another session, when it makes room for
 * one more, when the password is a new one or has to be, when a change of the address is taken back, and when an operator
 * or an admin ends it. `disabled` is also that of a closed account. The audit trail tells these apart.
 */
export type SessionEnd = 'logout' | 'reuse' | 'disabled';

export const accountTables: FeatureTables = {
  carried: ['users', 'username_skeletons', 'reserved_names', 'sessions'],
  derived: [...countsOf('users'), 'users_search'],
  counted: ['users'],
};
