import { newestNumber } from '../services/changes/read.ts';
import { readOperation } from '../store/operation.ts';

/** The number of the newest change. Whatever a sitemap shows is the same while the number is. */
export const newestChange = readOperation('feeds.newest_change', (db, _: null) => newestNumber(db));
