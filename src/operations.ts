/** The module that a thread of the store loads. */
export { OPERATIONS } from './features.ts';
