/** The names of all security events: one for each thing that can happen. */
export const EVENTS = [
  'registered',
  'admin_created',
  'accounts_imported',
  'accounts_exported',
  'signed_in',
  'sign_in_failed',
  'sign_in_locked',
  'signed_out',
  'token_reused',
  'sessions_ended',
  'role_changed',
  'account_disabled',
  'account_enabled',
  'signing_key_added',
  'signing_key_removed',
  'sealing_key_changed',
] as const;
export type EventName = (typeof EVENTS)[number];
