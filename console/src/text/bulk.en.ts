/** What bulk actions say. */
export const bulk = {
  'bulk.chosen': '{count} selected',
  'bulk.all': 'All {count} that match',
  'bulk.done': 'Changed: {done}. Refused: {failed}.',
  'bulk.most': 'One action takes {count} at most. The other {rest} that match stay as they are.',
  'bulk.running': '{done} of {count} …',
  'content.bulk': 'Selected items',
  'content.bulk.public': 'Show to everybody',
  'content.bulk.members': 'Show to members only',
  'content.bulk.ask': 'Change {count} items?',
  'content.bulk.ask.one': 'Change 1 item?',
  'content.bulk.ask_yes': 'Change {count} items',
  'content.bulk.ask_yes.one': 'Change 1 item',
  'content.bulk.trash': 'Move {count} items to the trash?',
  'content.bulk.trash.one': 'Move 1 item to the trash?',
  'content.bulk.trash_yes': 'Move {count} items',
  'content.bulk.trash_yes.one': 'Move 1 item',
  'content.bulk.what': 'The service counted these items now. Each change is a new version of its item.',
  'content.bulk.trash_what':
    'The service counted these items now. They can be restored from the trash for some days.',
};
