/** What only the page of tags and categories says. */
export const labels = {
  'content.labels.none': 'No item has a label here.',
  'content.labels.count': '{count} items',
  'content.labels.count.one': '1 item',
  'content.labels.rename': 'Rename',
  'content.labels.rename.ask': 'Rename “{name}”',
  'content.labels.rename.to': 'New name',
  'content.labels.rename.do': 'Rename in {count} items',
  'content.labels.rename.do.one': 'Rename in 1 item',
  'content.labels.merge.do': 'Merge {count} items',
  'content.labels.merge.do.one': 'Merge 1 item',
  'content.labels.rename.warn': '{count} items change, and drafts and trashed items that have it.',
  'content.labels.rename.warn.one': '1 item changes, and drafts and trashed items that have it.',
  'content.labels.rename.how': 'Each of them gets a new version in your name. It takes a while.',
  'content.labels.merge.warn':
    '“{name}” exists already, with {count} items. The two become one, and nothing tells them apart afterwards.',
  'content.labels.merge.warn.one':
    '“{name}” exists already, with 1 item. The two become one, and nothing tells them apart afterwards.',
  'content.labels.running': '“{from}” is being renamed to “{name}”. Changed so far: {count}.',
  'content.labels.ended': '“{from}” is “{name}” now. Changed: {count}.',
  'content.labels.search': 'Begins with',
};
