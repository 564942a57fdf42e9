import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { BulkRun } from './bulk-run.ts';
import { useLater } from './later.ts';

export type Chosen = Signal<ReadonlySet<number>>;

/** The lists that have bulk actions, by the beginning of their addresses. */
export type BulkKind = 'content' | 'people';

/** The last bulk action of each list. It belongs to the page, because a list ends where people look at another view. */
export const bulkRuns = signal<{ readonly [Kind in BulkKind]?: BulkRun | undefined }>({});

/** What a bar of bulk actions is told by its list. */
export interface ChosenProps {
  readonly chosen: Chosen;
  /** What the service counts for the view. */
  readonly total: number;
  /** The rows of the page that may be chosen. */
  readonly ids: readonly number[];
  readonly onDone: () => void;
}

/** The rows of a list that are chosen, and the module of their bar. Another view begins without any. */
export function useChosen<Bar>(kind: BulkKind, key: string, load: () => Promise<Bar>) {
  const chosen: Chosen = useSignal<ReadonlySet<number>>(new Set());
  useEffect(() => {
    chosen.value = new Set();
  }, [key]);
  return { chosen, bulk: useLater(chosen.value.size > 0 || !!bulkRuns.value[kind], load) };
}

export const areAll = (ids: readonly number[], chosen: Chosen) =>
  ids.length > 0 && ids.every((id) => chosen.value.has(id));

/** Chooses all rows of a page that may be chosen. */
export function ChoosePage({
  label,
  ids,
  chosen,
}: {
  readonly label: string;
  readonly ids: readonly number[];
  readonly chosen: Chosen;
}) {
  if (ids.length === 0) return null;
  const isAll = areAll(ids, chosen);
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isAll}
        onChange={() => {
          chosen.value = isAll ? new Set() : new Set(ids);
        }}
      />
      {label}
    </label>
  );
}

/** Chooses one row. */
export function Choose({
  label,
  id,
  chosen,
}: {
  readonly label: string;
  readonly id: number;
  readonly chosen: Chosen;
}) {
  const toggle = () => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  return <input type="checkbox" aria-label={label} checked={chosen.value.has(id)} onChange={toggle} />;
}
