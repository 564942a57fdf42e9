import { text } from '../text/text.ts';

/** Items that show what an item can be, in the language of the page. */
export function sampleItems() {
  const category = text('samples.category');
  const tags = [text('samples.tag')];
  return [
    { title: text('samples.markdown'), content: text('samples.markdown.text'), category, tags },
    {
      ...{ title: text('samples.members'), content: text('samples.members.text'), category, tags },
      visibility: 'members' as const,
    },
    {
      ...{ title: text('samples.draft'), content: text('samples.draft.text'), category, tags },
      status: 'draft' as const,
    },
  ];
}
