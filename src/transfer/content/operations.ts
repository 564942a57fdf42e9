export { countDraftsBeside, countItems, exportItems } from './export.ts';
export { importItems } from './import.ts';
