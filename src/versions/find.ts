import { CONTENT_FIELDS, type ContentFields } from '../content/fields.ts';
import { type HistoryRequest, requireHistory, selectHistory, type VersionState } from '../content/history.ts';
import { selectWithDrafts } from '../content/visibility.ts';
import { notFound } from '../domain/failure.ts';
import type { RowFor } from '../store/field-types.ts';
import { columnsFor } from '../store/fields.ts';
import { readOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { type EarlierText, selectEarlier, textInTurn } from './earlier-text.ts';

interface VersionRequest extends HistoryRequest {
  readonly version: number;
}

type Written = RowFor<ContentFields, 'history'>;

export interface FoundVersion {
  readonly state: VersionState;
  readonly written: Written;
}

/** What was written, where the text may be a delta of a base. */
type Stored = Omit<Written, 'content'> & EarlierText;

const COLUMNS = columnsFor(CONTENT_FIELDS, 'history');

/** The present version of an item, or an earlier one. Fails with `not_found` or `forbidden`. */
export const findVersion = readOperation(
  'versions.find',
  async (db, request: VersionRequest): Promise<{ state: VersionState; written: Stored }> => {
    await requireHistory(db, request);
    const state = await selectHistory(db, request.id)
      .where('history.version', '=', request.version)
      .executeTakeFirst();
    const written = state && ((await readPresent(db, request)) ?? (await readEarlier(db, request)));
    // A base is removed after what is made of it, and both are about to go.
    if (!written || (written.content === null && written.base === null)) throw notFound('version');
    return { state, written };
  },
);

async function readPresent(db: Db, { id, version }: VersionRequest): Promise<Stored | undefined> {
  const item = await selectWithDrafts(db)
    .select(COLUMNS)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return item && { ...item, delta: null, base: null };
}

function readEarlier(db: Db, { id, version }: VersionRequest): Promise<Stored | undefined> {
  return selectEarlier(db, id, version)
    .select(COLUMNS.map((name) => `version.${name}` as const))
    .executeTakeFirst();
}

/** A version with its whole text. Fails as `findVersion` does, and with `busy`. */
export async function wholeVersion(store: Store, request: VersionRequest): Promise<FoundVersion> {
  const { state, written } = await store.read(findVersion, request);
  const { delta: _delta, base: _base, ...others } = written;
  return { state, written: { ...others, content: await textInTurn(written) } };
}
