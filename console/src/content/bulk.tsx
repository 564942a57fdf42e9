import { useMemo } from 'preact/hooks';
import { type BulkAction, BulkBar } from '../parts/bulk-bar.tsx';
import type { ChosenProps } from '../parts/chosen.tsx';
import { countText } from '../parts/times.ts';
import { type Action, rowsOf, runBulk } from './bulk-run.ts';
import { deletionOf } from './deletion.ts';
import type { ListView } from './list-query.ts';
import { text } from './shell.ts';

/** What is done with the chosen items, or with all items of the view. */
export function ContentBulk({ view, ...props }: ChosenProps & { readonly view: ListView }) {
  const deletion = deletionOf();
  const others = useMemo(() => new Set<number>(), []);
  const act = (label: string, action: Action): BulkAction => {
    const isDeletion = action.kind === 'delete';
    const what = isDeletion ? deletion : 'ask';
    return {
      label,
      isDanger: isDeletion,
      title: (count) => countText(`content.bulk.${what}`, count),
      yes: (count) => countText(`content.bulk.${what}_yes`, count),
      what: text(isDeletion ? `content.bulk.${deletion}_what` : 'content.bulk.what'),
      run: (ids, note) => runBulk(action, ids, others, note),
    };
  };
  return (
    <BulkBar
      {...props}
      kind="content"
      rowsOf={(signal) => rowsOf(view, others, signal)}
      actions={[
        act(text('content.bulk.public'), { kind: 'visibility', value: 'public' }),
        act(text('content.bulk.members'), { kind: 'visibility', value: 'members' }),
        act(text(`content.to_${deletion}`), { kind: 'delete' }),
      ]}
    />
  );
}
