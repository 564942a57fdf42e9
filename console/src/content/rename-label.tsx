import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { failureText } from '../parts/failure.ts';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Notice } from '../parts/notice.tsx';
import { countText } from '../parts/times.ts';
import { ask } from './ask.ts';
import { labelIn } from './label-in.ts';
import { LabelInput } from './label-input.tsx';
import { text } from './shell.ts';

interface Props {
  readonly kind: 'tag' | 'category';
  readonly name: string;
  /** Items that have it. */
  readonly count: number;
  readonly onClose: () => void;
  /** The renaming has begun. */
  readonly onBegun: () => void;
}

/** Asks for the new name of a label, and says what will change. A name that exists merges the two. */
export function RenameLabel({ kind, name, count, onClose, onBegun }: Props) {
  const typed = useSignal(name);
  const problem = useSignal<AnyFailure | undefined>(undefined);
  const to = kind === 'tag' ? typed.value.trim() : typed.value;
  const isOther = to !== '' && to !== name;
  const { data, failure, isLoading, again } = useLoad<{ readonly name: string; readonly total: number }>(
    `items of ${kind} ${isOther ? to : ''}`,
    async (signal) => {
      if (!isOther) return { ok: true, data: { name: to, total: 0 } };
      const query = { per_page: 1, ...(kind === 'tag' ? { tag: [to] } : { category: to }) };
      const result = await ask('listContent', { query, signal });
      return result.ok ? { ok: true, data: { name: to, total: result.data.total ?? 0 } } : result;
    },
  );
  // Nothing is renamed before it is known what the new name has.
  const isKnown = data?.name === to;
  const merged = isKnown ? data.total : 0;
  const isBusy = useRef(false);
  const begin = async () => {
    if (!isOther || !isKnown || isBusy.current) return;
    isBusy.current = true;
    problem.value = undefined;
    const operation = kind === 'tag' ? 'renameTag' : 'renameCategory';
    const result = await ask(operation, { ...labelIn(name), body: { name: to } });
    isBusy.current = false;
    if (result.ok) onBegun();
    else problem.value = result;
  };
  return (
    <Dialog
      title={text('content.labels.rename.ask', { name })}
      action={
        isKnown
          ? countText(merged > 0 ? 'content.labels.merge.do' : 'content.labels.rename.do', count)
          : text('busy')
      }
      isDanger={merged > 0}
      onYes={() => void begin()}
      onClose={onClose}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <LabelInput
          kind={kind}
          label={text('content.labels.rename.to')}
          value={typed.value}
          onInput={(value) => {
            typed.value = value;
          }}
        />
      </form>
      <p>
        <strong>{countText('content.labels.rename.warn', count)}</strong> {text('content.labels.rename.how')}
      </p>
      {merged > 0 && (
        <Notice kind="warn">{countText('content.labels.merge.warn', merged, { name: to })}</Notice>
      )}
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {problem.value && <Notice kind="bad">{failureText(problem.value)}</Notice>}
    </Dialog>
  );
}
