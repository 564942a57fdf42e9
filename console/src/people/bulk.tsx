import { type BulkAction, BulkBar } from '../parts/bulk-bar.tsx';
import type { Results } from '../parts/bulk-run.ts';
import type { ChosenProps } from '../parts/chosen.tsx';
import { failureText } from '../parts/failure.ts';
import { countText } from '../parts/times.ts';
import { ask } from '../shell/ask.ts';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';
import type { filterOf } from './query.ts';

/** Accounts that one request takes. */
const MOST = 100;

type Change = { readonly role: 'member' | 'editor' } | { readonly disabled: boolean };

interface Props extends ChosenProps {
  readonly filter: ReturnType<typeof filterOf>;
}

/** What is done with the chosen accounts, or with all accounts of the view. */
export function PeopleBulk({ filter, ...props }: Props) {
  const act = (label: string, change: Change, what: string, isDanger = false): BulkAction => ({
    label,
    isDanger,
    title: (count) => countText('people.bulk.ask', count),
    yes: () => label,
    what: `${what} ${text('people.bulk.what')}`,
    run: (ids, note) => changeAll(change, ids, note),
  });
  return (
    <BulkBar
      {...props}
      kind="people"
      rowsOf={(signal) => stoa.walk('listUsers', { query: { ...filter, per_page: 100 }, signal })}
      actions={[
        act(text('actions.role.member'), { role: 'member' }, text('role.member.what')),
        act(text('actions.role.editor'), { role: 'editor' }, text('role.editor.what')),
        act(text('actions.enable'), { disabled: false }, text('actions.enable.what')),
        act(text('actions.disable'), { disabled: true }, text('actions.disable.what'), true),
      ]}
    />
  );
}

/** Makes the change for each account, as many at once as the service takes. The service says what came of each. */
async function changeAll(
  change: Change,
  ids: readonly number[],
  onStep: (results: Results) => void,
): Promise<Results> {
  let done = 0;
  const failed: { id: number; message: string }[] = [];
  for (let at = 0; at < ids.length; at += MOST) {
    const some = ids.slice(at, at + MOST);
    const made = await ask('changeManyUsers', { body: { ids: some, change } });
    if (!made.ok) return { done, failed, stopped: failureText(made) };
    for (const { id, error, message = '' } of made.data.results)
      if (error === undefined) done++;
      else failed.push({ id, message: failureText({ error: { error, message } }) });
    onStep({ done, failed: [...failed] });
  }
  return { done, failed };
}
