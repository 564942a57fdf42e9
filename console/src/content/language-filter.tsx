import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { text } from './shell.ts';

interface Props {
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** The filter by language. It counts when the field is left or by Enter: the service refuses half a language tag. */
export function LanguageFilter({ value, onValue }: Props) {
  const typed = useSignal(value);
  useEffect(() => {
    typed.value = value;
  }, [value]);
  return (
    <label class="field">
      <span>{text('content.language')}</span>
      <input
        value={typed.value}
        maxLength={64}
        spellcheck={false}
        autocapitalize="none"
        dir="ltr"
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
        }}
        onChange={({ currentTarget }) => onValue(currentTarget.value.trim())}
      />
    </label>
  );
}
