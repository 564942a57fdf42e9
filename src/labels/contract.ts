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
