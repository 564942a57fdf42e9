/** People, for admins. */
export const peopleViews = [
  { path: '/people', title: 'people', needs: 'admin', load: () => import('./list.tsx') },
  {
    path: '/people/invitations',
    title: 'invitations',
    needs: 'admin',
    load: () => import('./invitations.tsx'),
  },
  { path: '/people/:id', title: 'person', needs: 'admin', load: () => import('./person.tsx') },
] as const;
