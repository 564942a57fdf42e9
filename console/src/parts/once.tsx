import { text } from '../text/text.ts';
import { useCopying } from './copying.ts';

interface Props {
  readonly label: string;
  readonly value: string;
}

/** A secret that is shown this once, with a button that copies it. */
export function Once({ label, value }: Props) {
  const { said, copy } = useCopying();
  return (
    <div class="once">
      <p>{label}</p>
      <pre>{value}</pre>
      <button type="button" class="button" onClick={() => void copy(value)}>
        {text('copy')}
      </button>{' '}
      <span role="status">{said.value}</span>
    </div>
  );
}
