import { type Static, Type } from 'typebox';
import { NOUN } from '../content/contract.ts';
import { CONTENT_FIELDS } from '../content/fields.ts';
import type { VersionState } from '../content/history.ts';
import { isoTime } from '../domain/time.ts';
import { IdParams, idIn, PageOf } from '../http/paging.ts';
import { UserReference } from '../sessions/contract.ts';
import { schemasFor, showTo } from '../store/fields.ts';
import type { FoundVersion } from './find.ts';

export const VersionParams = Type.Object({
  ...IdParams.properties,
  version: Type.Integer({ minimum: 1, description: 'Number of a version.', examples: [1] }),
});

/** A number beyond what numbers hold exactly cannot belong to anything. Fails with `not_found`. */
export function versionIn({ id, version }: Static<typeof VersionParams>): { id: number; version: number } {
  return { id: idIn({ id }, NOUN), version: idIn({ id: version }, 'version') };
}

const state = {
  version: Type.Integer({ minimum: 1, description: 'Number of the version.' }),
  at: Type.String({ format: 'date-time', description: 'When it was made.' }),
  by: UserReference,
  changed: Type.Optional(
    Type.Array(Type.String(), {
      description: 'The members that the version before had otherwise; absent where that one is not kept.',
    }),
  ),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes of `content` in UTF-8.' }),
};

const VersionSummary = Type.Object(state, {
  $id: 'ContentVersionSummary',
  description: 'A version of a content item, without what was written.',
});
export const VersionPage = PageOf('ContentVersionPage', VersionSummary, 'The present version first');

export const ContentVersion = Type.Object(
  { ...schemasFor(CONTENT_FIELDS, 'history', Type), ...state },
  { $id: 'ContentVersion', description: 'A version of a content item.' },
);

export function toVersionSummary({
  version,
  at,
  by_id,
  by_name,
  changed,
  bytes,
}: VersionState): Static<typeof VersionSummary> {
  const by = { id: by_id, username: by_name };
  return { version, at: isoTime(at), by, ...(changed !== null && { changed: JSON.parse(changed) }), bytes };
}

const show = showTo(CONTENT_FIELDS, 'history');

export function toVersion({ state, written }: FoundVersion): Static<typeof ContentVersion> {
  return { ...show(written), ...toVersionSummary(state) };
}
