import { withTexts } from '../text/more.ts';

/** What those see who are not signed in. */
export const signInViews = [
  {
    path: '/forgotten',
    title: 'forgotten',
    needs: 'nobody',
    load: withTexts(['door'], () => import('./forgotten.tsx')),
  },
  {
    path: '/register',
    title: 'register',
    needs: 'nobody',
    load: withTexts(['door'], () => import('./register.tsx')),
  },
] as const;
