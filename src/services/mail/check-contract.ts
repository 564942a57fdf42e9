import { type Static, Type } from 'typebox';

declare module '../../http/service.ts' {
  interface Details {
    outbox: typeof OutboxState;
  }
}

/** `accounts_only` has no room left for mails to named addresses, `full` for any mail. */
export const OutboxState = Type.Enum(['ok', 'accounts_only', 'full'], {
  type: 'string',
  description:
    'Room for mails that wait: "accounts_only" has none left for addresses that have no account, "full" none at all. Absent where the service sends no mail.',
});
export type OutboxState = Static<typeof OutboxState>;
