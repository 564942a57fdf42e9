import { useSignal } from '@preact/signals';
import { WalkError } from '@stoa/client';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { areAll, type ChosenProps } from './chosen.tsx';
import { Dialog } from './dialog.tsx';
import { failureText } from './failure.ts';
import { numberText } from './times.ts';

/** What came of a bulk action. */
export interface Results {
  readonly done: number;
  readonly failed: readonly { readonly id: number; readonly message: string }[];
  /** Why the rest was not tried. */
  readonly stopped?: string;
}

/** Something that is done with each of those chosen, after a question. */
export interface BulkAction {
  readonly label: string;
  readonly isDanger?: boolean;
  readonly title: (count: number) => string;
  readonly yes: (count: number) => string;
  readonly what: string;
  readonly run: (
    ids: readonly number[],
    note: (results: Results) => void,
    signal: AbortSignal,
  ) => Promise<Results>;
}

interface Props extends ChosenProps {
  readonly label: string;
  /** All that the view shows on all of its pages. */
  readonly idsOf: (signal: AbortSignal) => Promise<readonly number[]>;
  readonly actions: readonly BulkAction[];
  readonly addressOf: (id: number) => string;
}

/** What is done with those chosen, or with all of the view. */
export function BulkBar({ label, chosen, ids, total, idsOf, actions, addressOf, onDone }: Props) {
  const isFilter = useSignal(false);
  const asked = useSignal<{ action: BulkAction; ids: readonly number[] } | undefined>(undefined);
  const isCounting = useSignal(false);
  const results = useSignal<Results | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const left = useRef(new AbortController());
  useEffect(() => () => left.current.abort(), []);
  useEffect(() => {
    // A row that the action took out of the list is not chosen any more.
    chosen.value = new Set(ids.filter((id) => chosen.peek().has(id)));
  }, [ids.join()]);
  const isWholePage = areAll(ids, chosen);
  // All that match are meant only while nothing of the page is left out.
  if (!isWholePage) isFilter.value = false;
  const { size } = chosen.value;

  const begin = async (action: BulkAction) => {
    results.value = undefined;
    problem.value = undefined;
    isCounting.value = true;
    try {
      const ids = isFilter.value ? await idsOf(left.current.signal) : [...chosen.value];
      asked.value = { action, ids };
    } catch (error) {
      if (!(error instanceof WalkError)) throw error;
      problem.value = failureText(error.failure);
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
    const end = await work.action.run(work.ids, note, left.current.signal);
    note(end);
    problem.value = end.stopped;
    onDone();
  };
  if (size === 0 && !results.value) return null;
  return (
    <section class="bulk" aria-label={label}>
      <strong>{text('bulk.chosen', { count: numberText(isFilter.value ? total : size) })}</strong>
      {isWholePage && total > size && (
        <label class="check">
          <input
            type="checkbox"
            checked={isFilter.value}
            onChange={({ currentTarget }) => {
              isFilter.value = currentTarget.checked;
            }}
          />
          {text('bulk.all', { count: numberText(total) })}
        </label>
      )}
      <span class="bulk-spacer" />
      {actions.map((action) => (
        <button
          key={action.label}
          type="button"
          class={`button ${action.isDanger ? 'button-danger' : ''}`}
          disabled={isCounting.value || size === 0}
          onClick={() => void begin(action)}
        >
          {action.label}
        </button>
      ))}
      {problem.value !== undefined && <p role="alert">{problem.value}</p>}
      {results.value && (
        <div class="bulk-results" role="status">
          <p>
            {text('bulk.done', {
              done: numberText(results.value.done),
              failed: numberText(results.value.failed.length),
            })}
          </p>
          <ul>
            {results.value.failed.slice(0, 100).map(({ id, message }) => (
              <li key={id}>
                <a href={addressOf(id)}>#{id}</a> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {asked.value && (
        <Dialog
          title={asked.value.action.title(asked.value.ids.length)}
          action={asked.value.action.yes(asked.value.ids.length)}
          isDanger={asked.value.action.isDanger ?? false}
          onYes={() => void run()}
          onClose={() => {
            asked.value = undefined;
          }}
        >
          <p>{asked.value.action.what}</p>
        </Dialog>
      )}
    </section>
  );
}
