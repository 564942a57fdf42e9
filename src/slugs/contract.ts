import { Type } from 'typebox';

export const SlugParams = Type.Object({
  slug: Type.String({
    description: 'The slug, percent-encoded. Its case and its form of Unicode do not count.',
    examples: ['hello'],
  }),
});

/** The answer to a slug that the item had before. */
export const Moved = Type.Object(
  {
    code: Type.Literal(301, { type: 'integer' }),
    data: Type.Object({
      moved_to: Type.Object({
        id: Type.Integer({ minimum: 1 }),
        slug: Type.String({ description: 'The slug that the item has now.' }),
      }),
    }),
  },
  { $id: 'ContentMoved', description: 'The item had this slug before; Location leads to it.' },
);
