import { type Static, Type } from 'typebox';
import { CONTENT_FIELDS } from '../content/fields.ts';
import { columnsFor, schemasFor, showTo } from '../store/fields.ts';
import type { ComparedVersions } from './compare.ts';

export const DifferenceQuery = Type.Object({
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The version to compare with, by default the one before; 0 for an item without anything.',
    }),
  ),
});

const { content: _, ...short } = schemasFor(CONTENT_FIELDS, 'history', Type);
const Members = Type.Object(short);
type Members = Partial<Static<typeof Members>>;

const Part = Type.Object({
  kind: Type.Enum(['same', 'removed', 'added', 'skipped'], {
    type: 'string',
    description: '`skipped`: a long text that both versions have is left out here.',
  }),
  text: Type.Optional(Type.String({ description: 'Absent where it was skipped.' })),
  length: Type.Optional(Type.Integer({ minimum: 1, description: 'UTF-16 units that were skipped.' })),
});

export const VersionDifference = Type.Object(
  {
    from: Type.Integer({ minimum: 0 }),
    to: Type.Integer({ minimum: 1 }),
    removed: Type.Partial(Members, {
      description: 'The members that differ, but for `content`, as `from` has them.',
    }),
    added: Type.Partial(Members, { description: 'The same as `to` has them.' }),
    content: Type.Array(
      Type.Object({
        from_line: Type.Integer({ minimum: 1 }),
        to_line: Type.Integer({ minimum: 1 }),
        parts: Type.Array(Part),
      }),
      {
        description:
          'The places where lines of `content` differ: the number of the first line in each version, and the words.',
      },
    ),
    content_truncated: Type.Optional(
      Type.Boolean({
        description: 'True where there are more differences than the answer has; absent otherwise.',
      }),
    ),
  },
  { $id: 'ContentDifference', description: 'What differs in two versions of a content item.' },
);

const NAMES = columnsFor(CONTENT_FIELDS, 'history').filter((name) => name !== 'content');
const show = showTo(CONTENT_FIELDS, 'history');

export function toDifference(
  { from, to }: { from: number; to: number },
  { earlier, later, content: { places, isCut } }: ComparedVersions,
): Static<typeof VersionDifference> {
  const [before, after] = [earlier ? show(earlier.written) : {}, show(later.written)];
  return {
    from,
    to,
    removed: different(before, after),
    added: different(after, before),
    content: places.map(({ parts, ...lines }) => ({ ...lines, parts: [...parts] })),
    ...(isCut && { content_truncated: true }),
  };
}

/** The members of the one that the other has otherwise. */
function different(one: Members, other: Members): Members {
  const members: Members = {};
  for (const name of NAMES)
    if (JSON.stringify(one[name]) !== JSON.stringify(other[name]))
      Object.assign(members, { [name]: one[name] });
  return members;
}
