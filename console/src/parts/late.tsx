import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Milliseconds without a key before a search begins. */
const PAUSE_MS = 250;

interface Props {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly field: (value: string, onInput: (value: string) => void) => ComponentChildren;
}

/** A field whose value counts a moment after the last key. */
export function Late({ value, onValue, field }: Props) {
  const typed = useSignal(value);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    typed.value = value;
    return () => clearTimeout(waiting.current);
  }, [value]);
  return (
    <>
      {field(typed.value, (next) => {
        typed.value = next;
        clearTimeout(waiting.current);
        waiting.current = setTimeout(() => next !== value && onValue(next), PAUSE_MS);
      })}
    </>
  );
}
