import { Type } from 'typebox';
import { LABEL_LENGTH } from '../content/field-rules.ts';
import { PageOf, PageQuery } from '../http/paging.ts';

const Label = Type.Object(
  {
    name: Type.String({ examples: ['hello'] }),
    count: Type.Integer({ minimum: 1, description: 'Items with this label that the caller may see.' }),
  },
  { $id: 'Label', description: 'A tag or a category.' },
);

export const LabelPage = PageOf('LabelPage', Label, 'The commonest first, then by name');

export const LabelQuery = Type.Object({
  ...PageQuery,
  prefix: Type.Optional(
    Type.String({
      maxLength: LABEL_LENGTH,
      format: 'storable',
      description: 'Only names that begin with this, in any case.',
    }),
  ),
});

const NAME = { minLength: 1, maxLength: LABEL_LENGTH, examples: ['hello'] };

export const LabelParams = Type.Object({ name: Type.String({ ...NAME, format: 'storable' }) });

export const LabelFrom = Type.Object({
  from: Type.Optional(
    Type.String({
      ...NAME,
      format: 'storable',
      description:
        'The name of the label, in place of the one in the path, which then does not count. For the names "." and "..", which clients take out of a path.',
    }),
  ),
});

export const LabelNameInput = Type.Object(
  {
    name: Type.String({
      ...NAME,
      description: 'What the label is called from now on.',
      examples: ['welcome'],
    }),
  },
  { $id: 'LabelNameInput' },
);

export const LabelRename = Type.Object(
  {
    from: Type.String(),
    name: Type.String({ description: 'The new name.' }),
    items_changed: Type.Integer({ minimum: 0, description: 'Items, and drafts beside items, until now.' }),
    started_at: Type.String({ format: 'date-time' }),
    ended_at: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Null while it runs.',
    }),
  },
  { $id: 'LabelRename', description: 'The renaming of a tag or a category.' },
);
