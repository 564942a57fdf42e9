import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { Notice } from '../parts/notice.tsx';
import { removeSamples } from './samples.ts';
import { text } from './shell.ts';

/** Offers to remove the samples that this account has made here, in one step. */
export function SamplesNotice({ onRemoved }: { readonly onRemoved: () => void }) {
  const isDone = useSignal(false);
  if (isDone.value) return null;
  const remove = async () => {
    const failure = await removeSamples();
    if (failure) return failure;
    isDone.value = true;
    onRemoved();
    return undefined;
  };
  return (
    <Notice>
      {text('samples.here')} <Act label={text('samples.remove')} onAct={remove} />
    </Notice>
  );
}
