/** What those see who are not signed in. */
export const signInViews = [
  { path: '/forgotten', title: 'forgotten', needs: 'nobody', load: () => import('./forgotten.tsx') },
  { path: '/register', title: 'register', needs: 'nobody', load: () => import('./register.tsx') },
] as const;
