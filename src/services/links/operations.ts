export { exportEmailLinks, exportResets, removeClaimsOn } from './personal-data.ts';
export { requestVerification } from './verification.ts';
