import { newRow } from '../../src/content/create.ts';

const { title: _, content: __, ...others } = newRow({ title: '', content: '' });

/** What a new item has besides its title and its text, where its author gives nothing else. */
export const BARE_ITEM = others;
