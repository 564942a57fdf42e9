export { claimBackup, endBackup, extendBackupClaim, readBackupState } from './state.ts';
