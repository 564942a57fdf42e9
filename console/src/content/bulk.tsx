import { type BulkAction, BulkBar } from '../parts/bulk-bar.tsx';
import type { ChosenProps } from '../parts/chosen.tsx';
import { countText } from '../parts/times.ts';
import { type Action, rowsOf, runBulk } from './bulk-run.ts';
import type { ListView } from './list-query.ts';
import { text } from './shell.ts';

/** What is done with the chosen items, or with all items of the view. */
export function ContentBulk({ view, ...props }: ChosenProps & { readonly view: ListView }) {
  const act = (label: string, action: Action): BulkAction => {
    const isTrash = action.kind === 'delete';
    return {
      label,
      isDanger: isTrash,
      title: (count) => countText(`content.bulk.${isTrash ? 'trash' : 'ask'}`, count),
      yes: (count) => countText(`content.bulk.${isTrash ? 'trash' : 'ask'}_yes`, count),
      what: text(isTrash ? 'content.bulk.trash_what' : 'content.bulk.what'),
      run: (ids, note) => runBulk(action, ids, note),
    };
  };
  return (
    <BulkBar
      {...props}
      kind="content"
      rowsOf={(signal) => rowsOf(view, signal)}
      actions={[
        act(text('content.bulk.public'), { kind: 'visibility', value: 'public' }),
        act(text('content.bulk.members'), { kind: 'visibility', value: 'members' }),
        act(text('content.to_trash'), { kind: 'delete' }),
      ]}
    />
  );
}
