import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { useFieldProblem } from './form.tsx';

interface Props {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password' | 'number';
  /** What is in it at first. What was typed stays when the field is drawn again. */
  readonly value?: string | undefined;
  readonly hint?: string | undefined;
  /** What browsers and password managers may fill in. */
  readonly autocomplete?: string;
  readonly inputMode?: 'numeric' | 'email';
  readonly isOptional?: boolean;
  /** Has the focus as soon as it is there. */
  readonly isFirst?: boolean;
  readonly minLength?: number | undefined;
  /** Not for passwords: what is typed beyond it is cut without a word. */
  readonly maxLength?: number | undefined;
  readonly min?: number;
  readonly max?: number;
}

/** A field with its label, a hint, and what the service found wrong with it. A password can be looked at. */
export function Field({ label, name, type = 'text', value, hint, isOptional, isFirst, ...input }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const isSeen = useSignal(false);
  const problem = useFieldProblem(name);
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, []);
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="field-input">
        <input
          {...input}
          ref={field}
          id={id}
          name={name}
          defaultValue={value}
          type={(isSeen.value ? 'text' : type) as 'text'}
          required={!isOptional}
          aria-invalid={problem ? true : undefined}
          aria-describedby={described || undefined}
          {...(name !== 'display_name' && { autocapitalize: 'none', spellcheck: false })}
        />
        {type === 'password' && (
          <button
            type="button"
            class="button button-quiet"
            aria-pressed={isSeen.value}
            onClick={() => {
              isSeen.value = !isSeen.value;
            }}
          >
            {text('password.show')}
          </button>
        )}
      </div>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {problem && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
    </div>
  );
}
