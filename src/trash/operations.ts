export { sizeOfTrashed } from './find.ts';
export { listTrash } from './list.ts';
export { removeTrasher } from './personal-data.ts';
export { isPurgeDue, purgeDue, purgeItem } from './purge.ts';
export { restoreItem } from './restore.ts';
