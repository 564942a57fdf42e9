export { countItems, exportItems } from './export.ts';
export { importItems } from './import.ts';
