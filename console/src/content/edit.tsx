import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useEffect } from 'preact/hooks';
import { useLater } from '../parts/later.ts';
import { NotRead } from '../parts/not-read.tsx';
import { useSettling } from '../parts/settled.ts';
import { BackToList } from './back-to-list.tsx';
import { Editor } from './editor.tsx';
import { readStored, type Stored } from './record.ts';
import { account, go, showsRead, text } from './shell.ts';

/** A new item (`new`), or the item with this id. */
export default function Edit({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = params.id === 'new' ? undefined : Number(params.id);
  const stored = useSignal<Stored | 'new' | undefined>(undefined);
  const problem = useSignal<AnyFailure | undefined>(undefined);
  const { value: shown } = stored;
  const round = useSignal(0);
  useSettling(!shown && !problem.value);
  /** The item that the editor of a new one has made. Its address is another one then, and the editor stays. */
  const made = useSignal<number | undefined>(undefined);
  const isMade = id !== undefined && id === made.value;
  useEffect(() => {
    const left = new AbortController();
    if (isMade) {
      showsRead('getContent', { path: { id }, signal: left.signal });
      return () => left.abort();
    }
    made.value = undefined;
    problem.value = undefined;
    if (id === undefined) {
      stored.value = 'new';
      return undefined;
    }
    stored.value = undefined;
    void readStored(id, left.signal).then((read) => {
      if (left.signal.aborted) return;
      if (read.ok) stored.value = read.data;
      else problem.value = read;
    });
    return () => left.abort();
  }, [id, round.value]);
  const isOthers = shown !== undefined && shown !== 'new' && !shown.mayBeChanged;
  const isGone = problem.value?.status === 404;
  const reading = useLater(isOthers, () => import('./reading.tsx'));
  const left = useLater(isOthers || isGone, () => import('./left-text.tsx'));
  const me = account();
  const leftText = left && me && id !== undefined && <left.LeftText account={me.id} item={id} />;
  if (problem.value !== undefined)
    return (
      <div class="content-page">
        <h1>{text('content.edit')}</h1>
        <NotRead failure={problem.value} isLoading={false} again={() => round.value++} />
        {leftText}
        <p>
          <BackToList />
        </p>
      </div>
    );
  if (!shown || !me) return <p aria-busy="true">{text('content.loading')}</p>;
  if (isOthers)
    return reading ? <reading.Reading stored={shown}>{leftText}</reading.Reading> : <p aria-busy="true" />;
  return (
    <Editor
      key={shown === 'new' ? shown : shown.id}
      me={me}
      stored={shown === 'new' ? undefined : shown}
      onMade={(item) => {
        made.value = item;
        go(`/content/${item}`, { replace: true });
      }}
    />
  );
}
