import { useId } from 'preact/hooks';
import { useLoad } from '../parts/load.ts';
import { numberText } from '../parts/times.ts';
import { ask } from './ask.ts';
import { text } from './shell.ts';

interface Props {
  readonly kind: 'tag' | 'category';
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onEnter?: () => void;
  readonly hint?: string;
  readonly isWrong?: boolean;
}

/** A label, with those that exist and begin like it as suggestions, and how many items have each. */
export function LabelInput({ kind, label, value, onInput, onEnter, hint, isWrong }: Props) {
  const list = useId();
  const operation = kind === 'tag' ? 'listTags' : 'listCategories';
  const { data } = useLoad(`${kind} ${value}`, (signal) =>
    ask(operation, { query: { per_page: 10, ...(value !== '' && { prefix: value.slice(0, 64) }) }, signal }),
  );
  return (
    <label class="field">
      <span>{label}</span>
      <input
        list={list}
        value={value}
        maxLength={64}
        autocapitalize="none"
        aria-invalid={isWrong || undefined}
        dir="auto"
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={(event) => {
          // Such a key is one of an input method. Safari says so by its number only, after the composition has ended.
          if (event.isComposing || event.keyCode === 229) return;
          if (!onEnter || (event.key !== 'Enter' && event.key !== ',')) return;
          event.preventDefault();
          onEnter();
        }}
        onBlur={onEnter}
      />
      <datalist id={list}>
        {data?.items.map(({ name, count }) => (
          <option
            key={name}
            value={name}
            label={text('content.labelled', { name, count: numberText(count) })}
          />
        ))}
      </datalist>
      {hint && <small>{hint}</small>}
    </label>
  );
}
