import { OPERATIONS as REAL_OPERATIONS } from '../../src/operations.ts';
import { dieWriting } from './operations.ts';

/** Every operation of the service, and the one that ends the writer thread. */
export const OPERATIONS = [...REAL_OPERATIONS, dieWriting] as const;
