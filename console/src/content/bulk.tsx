import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { countText, numberText } from '../parts/times.ts';
import { type Action, idsOf, type Results, runBulk } from './bulk-run.ts';
import type { ListView } from './list-query.ts';
import { text } from './shell.ts';

interface Props {
  readonly chosen: Signal<ReadonlySet<number>>;
  readonly view: ListView;
  /** What the service counts for the view. */
  readonly total: number;
  readonly isWholePage: boolean;
  readonly onDone: () => void;
}

/** What is done with the chosen items, or with all items of the view. */
export function BulkBar({ chosen, view, total, isWholePage, onDone }: Props) {
  const isFilter = useSignal(false);
  const asked = useSignal<{ action: Action; ids: readonly number[] } | undefined>(undefined);
  const isCounting = useSignal(false);
  const results = useSignal<Results | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  const { size } = chosen.value;
  const isTrash = asked.value?.action.kind === 'delete';

  const begin = async (action: Action) => {
    results.value = undefined;
    problem.value = undefined;
    isCounting.value = true;
    try {
      const ids = isFilter.value ? await idsOf(view, left.current.signal) : [...chosen.value];
      asked.value = { action, ids };
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      isCounting.value = false;
    }
  };
  const run = async () => {
    const { value: work } = asked;
    asked.value = undefined;
    if (!work) return;
    const note = (now: Results) => {
      results.value = now;
    };
    note(await runBulk(work.action, work.ids, note, left.current.signal));
    onDone();
  };
  const act = (label: string, action: Action, isDanger = false) => (
    <button
      type="button"
      class={`button ${isDanger ? 'button-danger' : ''}`}
      disabled={isCounting.value}
      onClick={() => void begin(action)}
    >
      {label}
    </button>
  );
  return (
    <section class="content-bulk" aria-label={text('content.bulk')}>
      <strong>{text('content.chosen', { count: numberText(isFilter.value ? total : size) })}</strong>
      {isWholePage && total > size && (
        <label class="check">
          <input
            type="checkbox"
            checked={isFilter.value}
            onChange={({ currentTarget }) => {
              isFilter.value = currentTarget.checked;
            }}
          />
          {text('content.choose_all', { count: numberText(total) })}
        </label>
      )}
      <span class="content-spacer" />
      {act(text('content.bulk.public'), { kind: 'visibility', value: 'public' })}
      {act(text('content.bulk.members'), { kind: 'visibility', value: 'members' })}
      {act(text('content.to_trash'), { kind: 'delete' }, true)}
      {problem.value !== undefined && <p role="alert">{problem.value}</p>}
      {results.value && (
        <div class="content-results" role="status">
          <p>
            {text('content.bulk.done', {
              done: numberText(results.value.done),
              failed: numberText(results.value.failed.length),
            })}
          </p>
          <ul>
            {results.value.failed.slice(0, 100).map(({ id, message }) => (
              <li key={id}>
                <a href={`content/${id}`}>#{id}</a> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {asked.value && (
        <Dialog
          title={countText(`content.bulk.${isTrash ? 'trash' : 'ask'}`, asked.value.ids.length)}
          action={countText(`content.bulk.${isTrash ? 'trash' : 'ask'}_yes`, asked.value.ids.length)}
          isDanger={isTrash}
          onYes={() => void run()}
          onClose={() => {
            asked.value = undefined;
          }}
        >
          <p>{text(isTrash ? 'content.bulk.trash_what' : 'content.bulk.what')}</p>
        </Dialog>
      )}
    </section>
  );
}
