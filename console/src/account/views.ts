import { withTexts } from '../text/more.ts';

/** The own account. */
export const accountViews = [
  { path: '/account', title: 'account', needs: 'member', load: () => import('./profile.tsx') },
  {
    path: '/account/security',
    title: 'account.security',
    needs: 'member',
    load: () => import('./security.tsx'),
  },
  {
    path: '/account/sessions',
    title: 'account.sessions',
    needs: 'member',
    load: () => import('./sessions.tsx'),
  },
  { path: '/account/tokens', title: 'account.tokens', needs: 'member', load: () => import('./tokens.tsx') },
  {
    path: '/account/events',
    title: 'account.events',
    needs: 'member',
    load: withTexts(['events'], () => import('./events.tsx')),
  },
  { path: '/account/data', title: 'account.data', needs: 'member', load: () => import('./data.tsx') },
] as const;
