import { OPERATIONS as REAL_OPERATIONS } from '../../src/operations.ts';
import { holdWriter } from './gated-operations.ts';
import { dieWriting } from './operations.ts';

/** Every operation of the service, the one that ends the writer thread, and the one that holds it. */
export const OPERATIONS = [...REAL_OPERATIONS, dieWriting, holdWriter] as const;
