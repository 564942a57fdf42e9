import { withTexts } from '../text/more.ts';

/** The content pages, for the list of views of the console. */
export const contentViews = [
  { path: '/content', title: 'content.list', needs: 'member', load: () => import('./list.tsx') },
  {
    path: '/content/trash',
    title: 'content.trash',
    needs: 'member',
    load: withTexts(['past'], () => import('./trash.tsx')),
  },
  {
    path: '/content/labels',
    title: 'content.labels',
    needs: 'member',
    load: withTexts(['labels'], () => import('./labels.tsx')),
  },
  { path: '/content/:id', title: 'content.edit', needs: 'member', load: () => import('./edit.tsx') },
  {
    path: '/content/:id/versions',
    title: 'content.versions',
    needs: 'member',
    load: withTexts(['past'], () => import('./versions.tsx')),
  },
] as const;
