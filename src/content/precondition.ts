import { Failure } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';
import type { Db } from '../store/tables.ts';
import type { LockedItem } from './change.ts';

/** A version of an item and when it was made, in milliseconds since 1970, if the client said so. */
interface State {
  readonly version: number;
  readonly changedAt?: number;
  /** True where the entity tag was weak, which never matches. */
  readonly isWeak?: boolean;
}

/** The states of which an item must be in one to be changed. */
export type OnlyIf = readonly State[];

const WEAKENED =
  'If-Match has only weak entity tags, which never match. A proxy has weakened the ETag of the answer: turn its compression of JSON off for Stoa.';

/** Reading again gives a client no better tag where a proxy weakens each of them. */
export function orWeakened(states: readonly { readonly isWeak?: boolean }[], message: string): string {
  return states.length > 0 && states.every(({ isWeak }) => isWeak === true) ? WEAKENED : message;
}

/** Changes after a version that are looked through for what they changed. */
const CHANGES = 1_000;

/**
 * The rule of If-Match. Asked inside the write, of an item that it has locked. Fails with `version_conflict`, which tells
 * the version that stands, who made it, when, and which members were changed since the newest version that was given.
 */
export async function requireState(
  db: Db,
  item: LockedItem,
  onlyIf: OnlyIf | undefined,
  message = `The item was changed meanwhile: it is at version ${item.version}. Read it again, and send your change with its new ETag.`,
): Promise<void> {
  const isIn = ({ version, changedAt = item.updated_at, isWeak = false }: State) =>
    version === item.version && changedAt === item.updated_at && !isWeak;
  if (!onlyIf || onlyIf.some(isIn)) return;
  const by = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', item.changed_by ?? item.author_id)
    .executeTakeFirstOrThrow();
  const [newest] = onlyIf.toSorted((a, b) => b.version - a.version);
  const changed = newest && (await changedSince(db, item, newest));
  throw new Failure({
    error: 'version_conflict',
    message: orWeakened(onlyIf, message),
    more: { version: item.version, at: isoTime(item.updated_at), by, ...(changed && { changed }) },
  });
}

/** The members that the changes after a state were about; undefined where that is not known. */
async function changedSince(
  db: Db,
  { id, version }: LockedItem,
  state: State,
): Promise<string[] | undefined> {
  const changes = version - state.version;
  if (changes < 1 || changes > CHANGES) return undefined;
  const rows = await db
    .selectFrom('content_versions')
    .select(['changed_at', 'replaced_members'])
    .where('content_id', '=', id)
    .where('version', '>=', state.version)
    .orderBy('version')
    .execute();
  const [first] = rows;
  if (rows.length !== changes || first?.changed_at !== (state.changedAt ?? first?.changed_at))
    return undefined;
  return [...new Set(rows.flatMap(({ replaced_members }): string[] => JSON.parse(replaced_members)))];
}
