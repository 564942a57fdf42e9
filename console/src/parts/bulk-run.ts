import { type BulkKind, bulkRuns } from './chosen.tsx';

/** What came of a bulk action. */
export interface Results {
  readonly done: number;
  readonly failed: readonly { readonly id: number; readonly message: string }[];
  /** Why the rest was not tried. */
  readonly stopped?: string;
}

/** A bulk action, from its Yes until its results were left. */
export interface BulkRun extends Results {
  /** How many it is for. */
  readonly count: number;
  readonly isOver: boolean;
}

/** Does the action for each of these, and tells how far it is. */
export type Doing = (ids: readonly number[], note: (results: Results) => void) => Promise<Results>;

/** The results of a run that is over are not shown any more. */
export function forgetRun(kind: BulkKind): void {
  if (bulkRuns.peek()[kind]?.isOver) bulkRuns.value = { ...bulkRuns.peek(), [kind]: undefined };
}

/** Runs an action. It goes on while people look at other views. The browser asks before the page is closed. */
export async function startRun(kind: BulkKind, ids: readonly number[], run: Doing): Promise<void> {
  const note = (results: Results, isOver = false) => {
    bulkRuns.value = { ...bulkRuns.peek(), [kind]: { ...results, count: ids.length, isOver } };
  };
  const closing = (event: Event) => event.preventDefault();
  addEventListener('beforeunload', closing);
  note({ done: 0, failed: [] });
  try {
    note(await run(ids, note), true);
  } finally {
    removeEventListener('beforeunload', closing);
  }
}
