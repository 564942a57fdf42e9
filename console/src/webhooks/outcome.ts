import type { WebhookDelivery } from '@stoa/client';
import { isText, text } from '../text/text.ts';

/** Why the last attempt of a delivery failed, for people. Undefined where none failed. */
export function failureOf({ status, status_code, error }: WebhookDelivery): string | undefined {
  if (status === 'delivered') return undefined;
  if (status_code !== undefined) return text('deliveries.answer', { code: status_code });
  if (error === undefined) return undefined;
  const key = `deliveries.error.${error}`;
  return isText(key) ? text(key) : text('deliveries.error', { error });
}
