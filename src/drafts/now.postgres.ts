import { sql } from 'kysely';

export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
