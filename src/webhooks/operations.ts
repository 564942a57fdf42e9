export { claimDeliveries, hasDue, webhooksBehind } from './claim.ts';
export { createWebhook } from './create.ts';
export { deleteWebhook } from './delete.ts';
export { listDeliveries, redeliver, testWebhook } from './deliveries.ts';
export { fillWebhook } from './fill.ts';
export { findWebhook, listWebhooks } from './find.ts';
export { replaceSecret } from './replace-secret.ts';
export { settleDelivery } from './settle.ts';
export { updateWebhook } from './update.ts';
