export { askForBackup } from './ask.ts';
export { claimSending, endSending, extendSendingClaim, readSending } from './sending-state.ts';
export { claimBackup, endBackup, extendBackupClaim, readBackupState, readProved } from './state.ts';
