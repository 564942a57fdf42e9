import { withTexts } from '../text/more.ts';

/** The service itself, for admins. */
export const systemViews = [
  {
    path: '/system',
    title: 'system',
    needs: 'admin',
    load: withTexts(['system'], () => import('./page.tsx')),
  },
] as const;
