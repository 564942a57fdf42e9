import type { Migration } from '../store/migration.ts';
import { baseline } from './0001_baseline.ts';
import { nameSkeletons } from './0005_name_skeletons.ts';

/** All steps of the schema, oldest first. A released step is never edited: add a new one. */
export const MIGRATIONS: readonly Migration[] = [baseline, nameSkeletons];
