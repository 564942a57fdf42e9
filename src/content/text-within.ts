import { sql } from 'kysely';

const LENGTH = sql`octet_length(content.content)`;
const META_LENGTH = sql`octet_length(content.meta)`;

/**
 * The content if it has at most `share` bytes, else its beginning, and a `meta` of at most as many. The database does not
 * read longer content.
 */
export function textWithin(share: number) {
  return [
    sql<string>`case when ${LENGTH} <= ${share} then content.content
      else content.excerpt end`.as('content'),
    sql<string>`case when ${META_LENGTH} <= ${share} then content.meta else '{}' end`.as('meta'),
    isCut(share),
  ] as const;
}

/** 0 where both are whole. 1 is added where the content is not, and 2 where `meta` is not. */
export function isCut(share: number) {
  return sql<number>`case when ${LENGTH} <= ${share} then 0 else 1 end
    + case when ${META_LENGTH} <= ${share} then 0 else 2 end`.as('is_cut');
}
