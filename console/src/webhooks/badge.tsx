import type { Webhook } from '@stoa/client';
import { text } from '../text/text.ts';

/** Whether a webhook sends, and why it does not. */
export function StateBadge({ of: { paused, paused_because } }: { readonly of: Webhook }) {
  if (!paused) return <span class="badge badge-good">{text('webhooks.state.on')}</span>;
  const because = paused_because ?? 'admin';
  return (
    <span class={`badge ${because === 'admin' ? '' : 'badge-bad'}`}>{text(`webhooks.state.${because}`)}</span>
  );
}

/** What a webhook is called: what it is for, or else where it sends. */
export function webhookName({ description, url }: Pick<Webhook, 'description' | 'url'>): string {
  return description || url;
}
