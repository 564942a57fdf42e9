import { newRow } from '../../src/content/create.ts';

const { title: _, content: __, ...others } = newRow({ title: '', content: '' });

/** What a new item has besides its title and its text, where its author gives nothing else. */
export const BARE_ITEM = others;

/** The statement that makes so many published items of an author, with one text, as `createContent` does one by one. */
export function manyItems(
  authorId: number,
  { count, title, content }: { readonly count: number; readonly title: string; readonly content: string },
): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
    SELECT ${authorId}, '${title}', '${content}', '', '[]', 1, 0, 0 FROM n`;
}
