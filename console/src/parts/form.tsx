import { type Signal, useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { failureText, fieldProblem } from './failure.ts';

const Problem = createContext<Signal<AnyFailure | undefined> | undefined>(undefined);

/** What is wrong with a field of the form around, as the service said. */
export function useFieldProblem(name: string): string | undefined {
  return fieldProblem(useContext(Problem)?.value, name);
}

/** The values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

interface Props {
  /** Sends what was typed. The failure, if there is one, is shown; a throw is a fault of the console. */
  readonly onSubmit: (values: Values) => Promise<AnyFailure | undefined>;
  readonly action: string;
  readonly isDanger?: boolean;
  /** Is emptied after it was sent, for the next one. */
  readonly isEmptied?: boolean;
  /** Other buttons, beside the action. */
  readonly others?: ComponentChildren;
  /** Shows a failure in another way. True where it did. */
  readonly onFailure?: (failure: AnyFailure) => boolean;
  readonly children?: ComponentChildren;
}

/** A form that is sent once at a time, and shows beside its fields what the service did not take. */
export function Form({
  onSubmit,
  action,
  isDanger = false,
  isEmptied = false,
  others,
  onFailure,
  children,
}: Props) {
  const form = useRef<HTMLFormElement>(null);
  const problem = useSignal<AnyFailure | undefined>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.peek() || !form.current) return;
    isBusy.value = true;
    problem.value = undefined;
    const given = [...new FormData(form.current)].map(([name, value]) => [name, String(value)]);
    const failure = await onSubmit(Object.fromEntries(given)).finally(() => {
      isBusy.value = false;
    });
    if (failure && !onFailure?.(failure)) problem.value = failure;
    else if (!failure && isEmptied) form.current?.reset();
  };
  const { value } = problem;
  useEffect(() => {
    if (value) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [value]);
  return (
    <Problem.Provider value={problem}>
      <form ref={form} class="form" onSubmit={(event) => void submit(event)}>
        {children}
        {value && (
          <p class="notice notice-bad" role="alert">
            {failureText(value)}
          </p>
        )}
        <div class="form-actions">
          <button
            type="submit"
            class={`button ${isDanger ? 'button-danger' : 'button-primary'}`}
            aria-disabled={isBusy.value}
          >
            {isBusy.value ? text('busy') : action}
          </button>
          {others}
        </div>
      </form>
    </Problem.Provider>
  );
}
