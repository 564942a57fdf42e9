import type { LabelRename } from '@stoa/client';
import { useEffect } from 'preact/hooks';
import { useAgain } from '../parts/again.ts';
import { useLoad } from '../parts/load.ts';
import { Notice } from '../parts/notice.tsx';
import { numberText } from '../parts/times.ts';
import { ask } from './ask.ts';
import { labelIn } from './label-in.ts';
import { text } from './shell.ts';

interface Props {
  readonly kind: 'tag' | 'category';
  /** The name that is given up. */
  readonly from: string;
  readonly onEnded: () => void;
}

/** How far a renaming is, until it has ended. */
export function Renaming({ kind, from, onEnded }: Props) {
  const operation = kind === 'tag' ? 'getTagRenaming' : 'getCategoryRenaming';
  const { data, error, isLoading, again } = useLoad<LabelRename | undefined>(
    `renaming ${kind} ${from}`,
    async (signal) => {
      const result = await ask(operation, { ...labelIn(from), signal });
      // Another renaming was begun since.
      return !result.ok && result.status === 404 ? { ok: true, data: undefined } : result;
    },
  );
  const isRunning = data?.ended_at === null;
  useAgain(isRunning || error !== undefined, isLoading, again);
  useEffect(() => {
    if (data && !isRunning) onEnded();
  }, [data === undefined, isRunning]);
  if (error !== undefined) return <Notice kind="bad">{error}</Notice>;
  if (!data) return null;
  const values = { from, name: data.name, count: numberText(data.items_changed) };
  return (
    <Notice kind={isRunning ? 'warn' : 'good'}>
      {text(isRunning ? 'content.labels.running' : 'content.labels.ended', values)}
    </Notice>
  );
}
