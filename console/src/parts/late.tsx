import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Milliseconds without a key before a search begins. */
const PAUSE_MS = 250;

interface Props {
  readonly value: string;
  /** `how` is what the address takes: a word that is typed with pauses is one step of Back. */
  readonly onValue: (value: string, how: { readonly replace: boolean }) => void;
  readonly field: (value: string, onInput: (value: string) => void) => ComponentChildren;
}

/** A field whose value counts a moment after the last key. */
export function Late({ value, onValue, field }: Props) {
  const typed = useSignal(value);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The address that this field made last. */
  const made = useRef('');
  // Another filter may be set while a search waits. The search then adds to that one.
  const newest = useRef({ value, onValue });
  newest.current = { value, onValue };
  useEffect(() => () => clearTimeout(waiting.current), []);
  useEffect(() => {
    // An effect runs a moment after its render. What was typed in between is newer than the value.
    if (waiting.current === undefined) typed.value = value;
  }, [value]);
  return (
    <>
      {field(typed.value, (next) => {
        typed.value = next;
        clearTimeout(waiting.current);
        waiting.current = setTimeout(() => {
          waiting.current = undefined;
          if (next === newest.current.value) return;
          newest.current.onValue(next, { replace: made.current === location.href });
          made.current = location.href;
        }, PAUSE_MS);
      })}
    </>
  );
}
