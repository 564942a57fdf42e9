export { listDrafts, walkDrafts } from './drafts.ts';
export { listContent } from './list.ts';
export { readListed } from './rows.ts';
export { walkContent } from './walk.ts';
