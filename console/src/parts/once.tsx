import { useSignal } from '@preact/signals';
import { text } from '../text/text.ts';

interface Props {
  readonly label: string;
  readonly value: string;
}

/** A secret that is shown this once, with a button that copies it. */
export function Once({ label, value }: Props) {
  const isCopied = useSignal(false);
  return (
    <div class="once">
      <p>{label}</p>
      <pre>{value}</pre>
      <button
        type="button"
        class="button"
        onClick={async () => {
          await navigator.clipboard.writeText(value);
          isCopied.value = true;
        }}
      >
        {text('copy')}
      </button>{' '}
      <span role="status">{isCopied.value ? text('copied') : ''}</span>
    </div>
  );
}
