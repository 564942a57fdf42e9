import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import type { ComponentChildren } from 'preact';
import { text } from '../text/text.ts';
import { Dialog } from './dialog.tsx';
import { failureText } from './failure.ts';
import { useFocusKept } from './focus.ts';
import { Notice } from './notice.tsx';

interface Props {
  /** What the button says. */
  readonly label: string;
  /** What else a screen reader says of it: what it is about. */
  readonly about?: string;
  /** The question before; without one it is done at once. */
  readonly question?: string;
  /** What will happen, below the question. */
  readonly what?: ComponentChildren;
  readonly isDanger?: boolean;
  readonly onAct: () => Promise<AnyFailure | undefined>;
}

/**
 * A button that does something at once, or after a question: once at a time, and once for a double click. A failure is shown
 * in the question.
 */
export function Act({ label, about, question, what, isDanger = false, onAct }: Props) {
  const isAsked = useSignal(false);
  const problem = useSignal<AnyFailure | undefined>(undefined);
  const isBusy = useSignal(false);
  const button = useFocusKept<HTMLButtonElement>();
  const act = async () => {
    if (isBusy.peek()) return;
    isBusy.value = true;
    problem.value = undefined;
    const failure = await onAct().finally(() => {
      isBusy.value = false;
    });
    if (failure) {
      problem.value = failure;
      isAsked.value = true;
    } else isAsked.value = false;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button ${isDanger ? 'button-danger' : ''}`}
        aria-disabled={isBusy.value}
        onClick={({ detail }) => {
          // The second click of a double click, which may meet the next row of a list.
          if (detail > 1) return;
          if (question === undefined) void act();
          else isAsked.value = true;
        }}
      >
        {label}
        {about !== undefined && <span class="visually-hidden"> {about}</span>}
      </button>
      {isAsked.value && (
        <Dialog
          title={question ?? label}
          action={isBusy.value ? text('busy') : problem.value ? text('try_again') : label}
          isDanger={isDanger}
          onYes={() => void act()}
          onClose={() => {
            isAsked.value = false;
            problem.value = undefined;
          }}
        >
          {what}
          {problem.value && <Notice kind="bad">{failureText(problem.value)}</Notice>}
        </Dialog>
      )}
    </>
  );
}
