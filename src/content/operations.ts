export { createContent, createNumbered } from './create.ts';
export { createContentOnce } from './create-once.ts';
export { deleteContent } from './delete.ts';
export { findDraftItem, sizeOfContent } from './draft-items.ts';
export { findContent, findState } from './find.ts';
export { isLongText, readLongText } from './past.ts';
export { exportContent, removeAuthor } from './personal-data.ts';
export { sumStored } from './stored.ts';
export { updateContent } from './update.ts';
