import { withTexts } from '../text/more.ts';

/** Webhooks, for admins. */
export const webhookViews = [
  {
    path: '/webhooks',
    title: 'webhooks',
    needs: 'admin',
    load: withTexts(['webhooks'], () => import('./list.tsx')),
  },
  {
    path: '/webhooks/new',
    title: 'webhooks.new',
    needs: 'admin',
    load: withTexts(['webhooks'], () => import('./new.tsx')),
  },
  {
    path: '/webhooks/:id',
    title: 'webhook',
    needs: 'admin',
    load: withTexts(['webhooks'], () => import('./webhook.tsx')),
  },
] as const;
