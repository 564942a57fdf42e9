/** The service itself, for admins. */
export const systemViews = [
  { path: '/system', title: 'system', needs: 'admin', load: () => import('./page.tsx') },
] as const;
