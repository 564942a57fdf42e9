import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { useCopying } from './copying.ts';
import { focusOn } from './focus.ts';

interface Props {
  readonly label: string;
  readonly value: string;
}

/** A secret that is shown this once, with a button that copies it. It takes the focus, so that nobody misses it. */
export function Once({ label, value }: Props) {
  const { said, copy } = useCopying();
  const place = useRef<HTMLElement>(null);
  const name = useId();
  useEffect(() => {
    if (!place.current) return;
    focusOn(place.current);
    place.current.scrollIntoView({ block: 'nearest' });
  }, [value]);
  return (
    <section ref={place} class="once" aria-labelledby={name}>
      <p id={name}>{label}</p>
      <pre>{value}</pre>
      <button type="button" class="button" onClick={() => void copy(value)}>
        {text('copy')}
      </button>{' '}
      <span role="status">{said.value}</span>
    </section>
  );
}
