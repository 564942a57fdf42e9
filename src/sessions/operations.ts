export { countSessions } from './count.ts';
export { listSessions } from './list.ts';
export { answerOtherToken } from './other-token.ts';
export { exportSessions, removeSessionsOf } from './personal-data.ts';
export { recordUses } from './personal-token-uses.ts';
export { findRestoredAt } from './restored-at.ts';
export { revokeOtherSessions, revokeSession } from './revoke.ts';
export { rotateRefreshToken, rotateWhenFree } from './rotate.ts';
export {
  endSession,
  endSomePendingOfAll,
  endSomeSessions,
  findCaller,
  findCallers,
  findOwner,
  findPersonalToken,
} from './session.ts';
export {
  addSigningKey,
  keepFirstSigningKey,
  listSigningKeys,
  removeOldSigningKeys,
  revokeSigningKey,
} from './signing-keys.ts';
export { updateSession } from './update.ts';
