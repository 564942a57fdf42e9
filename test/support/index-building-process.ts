import { readConfig } from '../../src/config.ts';
import { migrateStore } from '../../src/migrate-store.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { INDEX_STEP } from './next-steps.ts';

/** Migrates as `stoa migrate` of a version with one more step does. */
await migrateStore(readConfig(process.env).database, [...MIGRATIONS, INDEX_STEP]);
