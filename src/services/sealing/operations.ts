export { hasUnsealed, resealAll, sealUnsealed } from './sealed-columns.ts';
export { findSecret, keepCheck, keepSecret } from './secrets.ts';
