export { findAnswer } from './once.ts';
export { removeKeysOf } from './personal-data.ts';
