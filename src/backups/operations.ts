export { askForBackup } from './ask.ts';
export { claimBackup, endBackup, extendBackupClaim, readBackupState, readProved } from './state.ts';
