import { type BulkAction, BulkBar, type Results } from '../parts/bulk-bar.tsx';
import type { ChosenProps } from '../parts/chosen.tsx';
import { failureText } from '../parts/failure.ts';
import { countText } from '../parts/times.ts';
import { ask } from '../shell/ask.ts';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';
import type { filterOf } from './query.ts';

/** Accounts that one request takes. */
const MOST = 100;
/** Accounts that an action by filter changes at most. */
const MOST_PEOPLE = 10_000;

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
    run: (ids, note, signal) => changeAll(change, ids, note, signal),
  });
  return (
    <BulkBar
      {...props}
      label={text('people.bulk')}
      idsOf={(signal) => idsOf(filter, signal)}
      addressOf={(id) => `people/${id}`}
      actions={[
        act(text('actions.role.member'), { role: 'member' }, text('role.member.what')),
        act(text('actions.role.editor'), { role: 'editor' }, text('role.editor.what')),
        act(text('actions.enable'), { disabled: false }, text('actions.enable.what')),
        act(text('actions.disable'), { disabled: true }, text('actions.disable.what'), true),
      ]}
    />
  );
}

/** The accounts that a view shows on all of its pages, found by a walk through the list. */
async function idsOf(filter: Props['filter'], signal: AbortSignal): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of stoa.walk('listUsers', { query: { ...filter, per_page: 100 }, signal })) {
    ids.push(id);
    if (ids.length >= MOST_PEOPLE) break;
  }
  return ids;
}

/** Makes the change for each account, as many at once as the service takes. The service says what came of each. */
async function changeAll(
  change: Change,
  ids: readonly number[],
  onStep: (results: Results) => void,
  signal: AbortSignal,
): Promise<Results> {
  let done = 0;
  const failed: { id: number; message: string }[] = [];
  for (let at = 0; at < ids.length && !signal.aborted; at += MOST) {
    const some = ids.slice(at, at + MOST);
    const made = await ask('changeManyUsers', { body: { ids: some, change }, signal });
    if (!made.ok) return { done, failed, stopped: failureText(made) };
    for (const { id, error, message = '' } of made.data.results)
      if (error === undefined) done++;
      else failed.push({ id, message: failureText({ error: { error, message } }) });
    onStep({ done, failed: [...failed] });
  }
  return { done, failed };
}
