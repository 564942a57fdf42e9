export { bulkContent } from './bulk.ts';
export { sizesOfItems } from './sizes.ts';
