import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Editor } from './editor.tsx';
import { readStored, type Stored } from './record.ts';
import { account, text } from './shell.ts';

/** A new item (`new`), or the item with this id. */
export default function Edit({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = params['id'] === 'new' ? undefined : Number(params['id']);
  const stored = useSignal<Stored | 'new' | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const { value: shown } = stored;
  useEffect(() => {
    if (id === undefined) {
      stored.value = 'new';
      return undefined;
    }
    const left = new AbortController();
    stored.value = undefined;
    problem.value = undefined;
    void readStored(id, left.signal).then((read) => {
      if (left.signal.aborted) return;
      if (read.ok) stored.value = read.data;
      else problem.value = read.error.message;
    });
    return () => left.abort();
  }, [id]);
  const me = account();
  if (problem.value !== undefined)
    return (
      <p class="notice notice-bad" role="alert">
        {problem.value}
      </p>
    );
  if (!shown || !me) return <p aria-busy="true">{text('content.loading')}</p>;
  return <Editor key={id ?? 'new'} me={me} stored={shown === 'new' ? undefined : shown} />;
}
