import { sql } from 'kysely';

export const NOW = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
