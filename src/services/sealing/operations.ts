import { hasUnsealed, resealAll, sealUnsealed } from './sealed-columns.ts';
import { findSecret, keepCheck, keepSecret } from './secrets.ts';

export const sealingOperations = [
  findSecret,
  hasUnsealed,
  keepCheck,
  keepSecret,
  resealAll,
  sealUnsealed,
] as const;
