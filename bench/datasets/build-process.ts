import { hashSync } from '@node-rs/argon2';
import { ARGON2 } from '../../src/passwords/hashing/parameters.ts';
import type { Dataset } from './datasets.ts';
import { PASSWORD } from './password.ts';
import { fillSqlite } from './sqlite-fill.ts';

/** Builds one dataset: `node build-process.ts <file> <dataset as JSON>`. */
const [file, dataset] = process.argv.slice(2);
if (!file || !dataset) throw new Error('Give the file and the dataset.');
await fillSqlite(file, JSON.parse(dataset) as Dataset, hashSync(PASSWORD, ARGON2));
