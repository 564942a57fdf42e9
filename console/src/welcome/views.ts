import { withTexts } from '../text/more.ts';

/** What the first admin sees first. */
export const welcomeViews = [
  {
    path: '/welcome',
    title: 'setup',
    needs: 'admin',
    load: withTexts(['account'], () => import('./page.tsx')),
  },
] as const;
