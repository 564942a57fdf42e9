import { useSignal } from '@preact/signals';
import { WalkError } from '@stoa/client';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { type Doing, forgetRun, startRun } from './bulk-run.ts';
import { areAll, type BulkKind, bulkRuns, type ChosenProps } from './chosen.tsx';
import { Dialog } from './dialog.tsx';
import { failureText } from './failure.ts';
import { numberText } from './times.ts';

/** Rows that an action by filter changes at most. */
const MOST = 10_000;

/** Something that is done with each of those chosen, after a question. */
export interface BulkAction {
  readonly label: string;
  readonly isDanger?: boolean;
  readonly title: (count: number) => string;
  readonly yes: (count: number) => string;
  readonly what: string;
  readonly run: Doing;
}

interface Props extends ChosenProps {
  readonly kind: BulkKind;
  /** All that the view shows on all of its pages. */
  readonly rowsOf: (signal: AbortSignal) => AsyncIterable<{ readonly id?: number }>;
  readonly actions: readonly BulkAction[];
}

/** What is done with those chosen, or with all of the view. */
export function BulkBar({ kind, chosen, ids, total, rowsOf, actions, onDone }: Props) {
  const isFilter = useSignal(false);
  const asked = useSignal<{ action: BulkAction; ids: readonly number[] } | undefined>(undefined);
  const isCounting = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const left = useRef(new AbortController());
  const run = bulkRuns.value[kind];
  const isRunning = run !== undefined && !run.isOver;
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) onDone();
    wasRunning.current = isRunning;
  }, [isRunning]);
  useEffect(
    () => () => {
      left.current.abort();
      forgetRun(kind);
    },
    [],
  );
  useEffect(() => {
    // A row that the action took out of the list is not chosen any more.
    chosen.value = new Set(ids.filter((id) => chosen.peek().has(id)));
  }, [ids.join()]);
  const isWholePage = areAll(ids, chosen);
  // All that match are meant only while nothing of the page is left out.
  if (!isWholePage) isFilter.value = false;
  const { size } = chosen.value;

  const begin = async (action: BulkAction) => {
    forgetRun(kind);
    problem.value = undefined;
    isCounting.value = true;
    try {
      const ids = isFilter.value ? await firstOf(rowsOf(left.current.signal)) : [...chosen.value];
      asked.value = { action, ids };
    } catch (error) {
      if (!(error instanceof WalkError)) throw error;
      problem.value = failureText(error.failure);
    } finally {
      isCounting.value = false;
    }
  };
  if (size === 0 && !run) return null;
  const isOff = isCounting.value || isRunning || size === 0;
  const said = problem.value ?? run?.stopped;
  return (
    <section class="bulk" aria-label={text(`${kind}.bulk`)}>
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
          aria-disabled={isOff}
          onClick={() => !isOff && void begin(action)}
        >
          {action.label}
        </button>
      ))}
      {said !== undefined && <p role="alert">{said}</p>}
      {run && (
        <div class="bulk-results" role="status">
          <p>
            {run.isOver
              ? text('bulk.done', { done: numberText(run.done), failed: numberText(run.failed.length) })
              : text('bulk.running', {
                  done: numberText(run.done + run.failed.length),
                  count: numberText(run.count),
                })}
          </p>
          <ul>
            {run.failed.slice(0, 100).map(({ id, message }) => (
              <li key={id}>
                <a href={`${kind}/${id}`}>#{id}</a> {message}
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
          onYes={() => {
            const { value: work } = asked;
            asked.value = undefined;
            if (work) void startRun(kind, work.ids, work.action.run);
          }}
          onClose={() => {
            asked.value = undefined;
          }}
        >
          <p>{asked.value.action.what}</p>
          {asked.value.ids.length === MOST && total > MOST && (
            <p>{text('bulk.most', { count: numberText(MOST), rest: numberText(total - MOST) })}</p>
          )}
        </Dialog>
      )}
    </section>
  );
}

async function firstOf(rows: AsyncIterable<{ readonly id?: number }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of rows) {
    if (id !== undefined) ids.push(id);
    if (ids.length === MOST) break;
  }
  return ids;
}
