import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { failureText } from '../parts/failure.ts';
import { Notice } from '../parts/notice.tsx';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';
import type { Done } from './form.tsx';
import { getPasskey, passkeyFailure } from './passkey.ts';

/** Signs in by a passkey alone: the browser lets the person choose the account. */
export function PasskeyButton({ onDone }: { readonly onDone: Done }) {
  const problem = useSignal<AnyFailure | undefined>(undefined);
  const use = async (): Promise<AnyFailure | undefined> => {
    const options = await stoa.call('beginPasskeyLogin');
    if (!options.ok) return options;
    const used = await getPasskey(options.data);
    if ('ok' in used) return used;
    const result = await stoa.completeSignIn('loginWithPasskey', { response: used });
    return result.ok ? onDone() : passkeyFailure(result);
  };
  return (
    <div class="form">
      <p class="or">{text('or')}</p>
      <button
        type="button"
        class="button"
        onClick={async () => {
          problem.value = undefined;
          problem.value = await use();
        }}
      >
        {text('passkey.use')}
      </button>
      {problem.value && <Notice kind="bad">{failureText(problem.value)}</Notice>}
    </div>
  );
}
