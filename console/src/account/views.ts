import { withTexts } from '../text/more.ts';

/** The own account. */
export const accountViews = [
  {
    path: '/account',
    title: 'account',
    needs: 'member',
    load: withTexts(['account'], () => import('./profile.tsx')),
  },
  {
    path: '/account/security',
    title: 'account.security',
    needs: 'member',
    load: withTexts(['account'], () => import('./security.tsx')),
  },
  {
    path: '/account/sessions',
    title: 'account.sessions',
    needs: 'member',
    load: withTexts(['account'], () => import('./sessions.tsx')),
  },
  {
    path: '/account/tokens',
    title: 'account.tokens',
    needs: 'member',
    load: withTexts(['account'], () => import('./tokens.tsx')),
  },
  {
    path: '/account/events',
    title: 'account.events',
    needs: 'member',
    load: withTexts(['account', 'events'], () => import('./events.tsx')),
  },
  {
    path: '/account/data',
    title: 'account.data',
    needs: 'member',
    load: withTexts(['account'], () => import('./data.tsx')),
  },
] as const;
