import { type Static, Type } from 'typebox';
import { CONTENT_FIELDS } from '../content/fields.ts';
import { isoTime } from '../domain/time.ts';
import { UserReference } from '../sessions/contract.ts';
import { rulesFor, rulesRestored, schemasFor, showTo } from '../store/fields.ts';
import type { Draft } from './find.ts';

const { publish_at } = rulesFor(CONTENT_FIELDS, 'author', Type);

export const DraftChange = Type.Partial(
  Type.Object({ ...rulesRestored(CONTENT_FIELDS, 'author', Type), publish_at }),
  {
    $id: 'ContentDraftChange',
    minProperties: 1,
    description: 'The members that the draft has otherwise than before; at least one.',
    examples: [{ title: 'Hello again' }],
  },
);
export type DraftChange = Static<typeof DraftChange>;

export const IfNoDraft = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description:
        '`*`: the request is refused with 412 where there is a draft already. Entity tags of drafts: where the draft is one of these.',
    }),
  ),
});

export const OverVersion = Type.Object({
  over_version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'The version that the item is at, where it was changed since the draft beside it was begun. Without it, a request to publish the draft, now or at a time, is then refused with 412.',
    }),
  ),
});

export const ContentDraft = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'The item.', examples: [1] }),
    ...schemasFor(CONTENT_FIELDS, 'history', Type),
    publish_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the draft is published by itself, or null.',
    }),
    version: Type.Integer({
      minimum: 1,
      description:
        'Grows by one each time the draft is saved, a label that it has is renamed, or its time passes without a publication.',
    }),
    over_version: Type.Integer({
      minimum: 1,
      description: 'The version of the item that the draft replaces.',
    }),
    saved_at: Type.String({ format: 'date-time', description: 'When an account saved it last.' }),
    saved_by: UserReference,
  },
  { $id: 'ContentDraft', description: 'A content item as it will be when its draft is published.' },
);

const show = showTo(CONTENT_FIELDS, 'history');

export function toDraft(draft: Draft): Static<typeof ContentDraft> {
  const { id, version, over_version, publish_at, saved_at, saved_by, saver_name } = draft;
  return {
    id,
    ...show(draft.row),
    publish_at: publish_at === null ? null : isoTime(publish_at),
    version,
    over_version,
    saved_at: isoTime(saved_at),
    saved_by: { id: saved_by, username: saver_name },
  };
}
