export { exportAccounts } from './export.ts';
export { importAccounts } from './import.ts';
