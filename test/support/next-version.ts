import { MIGRATIONS } from '../../src/schema/index.ts';
import { COLUMN_STEP, INDEX_STEP } from './next-steps.ts';

/** The program of this version with two more steps. */
Array.prototype.push.call(MIGRATIONS, COLUMN_STEP, INDEX_STEP);
await import('../../src/main.ts');
