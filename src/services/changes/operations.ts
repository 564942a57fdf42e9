export { lookAtFeed } from './look.ts';
export { hasUnnumbered, numberChanges } from './number-changes.ts';
export { readChanges, readNewest } from './read.ts';
export { addReader, moveReader, removeReader } from './readers.ts';
export { removeOldChanges } from './remove-old.ts';
