import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export type Chosen = Signal<ReadonlySet<number>>;

/** What a bar of bulk actions is told by its list. */
export interface ChosenProps {
  readonly chosen: Chosen;
  /** What the service counts for the view. */
  readonly total: number;
  /** The rows of the page that may be chosen. */
  readonly ids: readonly number[];
  readonly onDone: () => void;
}

/** The rows of a list that are chosen. Another view begins without any. */
export function useChosen(key: string): Chosen {
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  useEffect(() => {
    chosen.value = new Set();
  }, [key]);
  return chosen;
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
