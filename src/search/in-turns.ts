import { type RawBuilder, sql } from 'kysely';
import { SEARCHED_UNITS } from '../domain/words.ts';
import { atMost } from '../store/statement.ts';

/** About this many bytes of text belong to one round: some 15 ms of one core, and much more where no word comes twice. */
export const ROUND_BYTES = 131_072;
/** UTF-8 has at most three bytes for a UTF-16 unit. */
const SEARCHED_BYTES = 3 * SEARCHED_UNITS;

export interface Round {
  /** The most changes of one round. */
  readonly changes: number;
  /** 1 if authors take turns, 0 if the oldest changes come first. */
  readonly fair: 0 | 1;
}

/**
 * `waiting` (`place`, `id`), each with `is_next`: does it belong to the next round? Authors take turns by the bytes of
 * their texts, so that many or long texts of one author keep no other author's out of the index. For each change, the
 * bytes of its text and of its author's older waiting texts are added up. The change with the smallest sum comes first.
 * A text that is too long for a round comes without others that have words, so that no short one waits for it. `item` is
 * what finds the visible item of `waiting`, for a left join.
 */
export function inTurns(
  waiting: RawBuilder<unknown>,
  item: RawBuilder<unknown>,
  { changes, fair }: Round,
): RawBuilder<unknown> {
  // Materialized, because PostgreSQL would sort the rows together with their texts.
  return sql`
    with sized as materialized (
      select place, waiting.id, author_id, case when octet_length(content) > ${sql.lit(SEARCHED_BYTES)}
        then ${sql.lit(SEARCHED_BYTES)} else coalesce(octet_length(title) + octet_length(content), 0) end as bytes
      from (${waiting}) as waiting left join ${item}
    )
    select place, id, number <= ${atMost(changes)} and (total <= ${sql.lit(ROUND_BYTES)} or total = bytes) as is_next
    from (
      select place, id, bytes, row_number() over turns as number, sum(bytes) over turns as total
      from (
        select *, sum(bytes) over (partition by author_id order by place rows unbounded preceding) as turn from sized
      ) as turned
      window turns as (order by turn * ${fair}, place rows unbounded preceding)
    ) as summed`;
}
