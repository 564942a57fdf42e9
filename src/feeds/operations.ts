export { newestChange } from './newest-change.ts';
