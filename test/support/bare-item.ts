import { CONTENT_FIELDS } from '../../src/content/fields.ts';
import { columnsOfNew } from '../../src/store/fields.ts';

const {
  title: _,
  content: __,
  ...others
} = columnsOfNew(CONTENT_FIELDS, 'author')({ title: '', content: '' });

/** What a new item has besides its title and its text, where its author gives nothing else. */
export const BARE_ITEM = others;
