import { withTexts } from '../text/more.ts';

/** The audit trail, for admins. */
export const trailViews = [
  {
    path: '/trail',
    title: 'trail',
    needs: 'admin',
    load: withTexts(['trail', 'events'], () => import('./list.tsx')),
  },
] as const;
