export { exportEmailLinks, exportResets, removeClaimsOn } from './personal-data.ts';
export { requireLink } from './use.ts';
export { requestVerification } from './verification.ts';
