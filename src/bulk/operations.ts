export { bulkContent } from './bulk.ts';
