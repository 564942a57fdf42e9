export { exportItems, lastItem } from './export.ts';
export { importItems } from './import.ts';
