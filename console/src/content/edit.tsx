import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../parts/focus.ts';
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
  /** Of the item, until the next answer. */
  const problem = useSignal<{ readonly of: number; readonly failure: AnyFailure } | undefined>(undefined);
  const failure = problem.value?.of === id ? problem.value?.failure : undefined;
  const { value: shown } = stored;
  const round = useSignal(0);
  const isLoading = useSignal(false);
  useSettling(!shown && !failure);
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
    if (id === undefined) {
      stored.value = 'new';
      return undefined;
    }
    stored.value = undefined;
    isLoading.value = true;
    void readStored(id, left.signal).then((read) => {
      if (left.signal.aborted) return;
      isLoading.value = false;
      problem.value = read.ok ? undefined : { of: id, failure: read };
      if (read.ok) stored.value = read.data;
    });
    return () => left.abort();
  }, [id, round.value]);
  const isOthers = shown !== undefined && shown !== 'new' && !shown.mayBeChanged;
  const isGone = failure?.status === 404;
  const reading = useLater(isOthers, () => import('./reading.tsx'));
  const left = useLater(isOthers || isGone, () => import('./left-text.tsx'));
  const me = account();
  const isRepeated = useRef(false);
  const isThere = shown !== undefined && (!isOthers || reading !== undefined);
  useEffect(() => {
    if (!isThere || !isRepeated.current) return;
    isRepeated.current = false;
    // The button that had the focus is gone. Another place of the focus is the user's choice.
    const heading = document.querySelector<HTMLElement>('main h1');
    if (heading && document.activeElement === document.body) focusOn(heading);
  }, [isThere]);
  const leftText = left && me && id !== undefined && <left.LeftText account={me.id} item={id} />;
  if (failure)
    return (
      <div class="content-page">
        <h1>{text('content.edit')}</h1>
        <NotRead
          failure={failure}
          isLoading={isLoading.value}
          again={() => {
            isRepeated.current = true;
            round.value++;
          }}
        />
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
