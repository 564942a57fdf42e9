import { withTexts } from '../text/more.ts';

/** People, for admins. */
export const peopleViews = [
  {
    path: '/people',
    title: 'people',
    needs: 'admin',
    load: withTexts(['people'], () => import('./list.tsx')),
  },
  {
    path: '/people/invitations',
    title: 'invitations',
    needs: 'admin',
    load: withTexts(['people', 'account'], () => import('./invitations.tsx')),
  },
  {
    path: '/people/:id',
    title: 'person',
    needs: 'admin',
    load: withTexts(['people', 'account', 'events'], () => import('./person.tsx')),
  },
] as const;
