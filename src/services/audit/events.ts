/** The names of all security events: one for each thing that can happen. */
export const EVENTS = [
  'registered',
  'admin_created',
  'signed_in',
  'sign_in_failed',
  'sign_in_locked',
  'signed_out',
  'token_reused',
  'session_revoked',
  'password_changed',
  'password_reset_requested',
  'password_reset',
  'sessions_ended',
  'personal_token_created',
  'personal_token_revoked',
  'role_changed',
  'account_disabled',
  'account_enabled',
  'signing_key_added',
  'signing_key_removed',
  'sealing_key_changed',
] as const;
export type EventName = (typeof EVENTS)[number];
