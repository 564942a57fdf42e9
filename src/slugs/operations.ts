export { findBySlug, findDraftBySlug } from './find.ts';
export { firstUnnamed, nameItems } from './name-items.ts';
