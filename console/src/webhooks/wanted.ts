import type { Webhook } from '@stoa/client';

export type Wanted = Webhook['events'][number];

/** What a webhook can ask for one by one. */
export const EVENTS = [
  'content.created',
  'content.updated',
  'content.trashed',
  'content.restored',
  'content.purged',
  'content.published',
  'user.created',
  'user.updated',
  'user.removed',
] as const satisfies readonly Wanted[];
