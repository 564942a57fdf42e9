import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useEffect, useRef } from 'preact/hooks';
import { failureText } from './failure.ts';

type Answer<Data> = { readonly ok: true; readonly data: Data } | AnyFailure;

export interface Loaded<Data> {
  readonly data: Data | undefined;
  /** What went wrong, for people. */
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/**
 * Reads what a view shows, and again where `key` changes. The request of a view that was left is aborted. The earlier
 * data stay until the next ones are there, and where reading them again fails.
 */
export function useLoad<Data>(
  key: string,
  read: (signal: AbortSignal) => Promise<Answer<Data>>,
): Loaded<Data> {
  const round = useSignal(0);
  const state = useSignal<Omit<Loaded<Data>, 'again'>>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  /** The key of the data. */
  const shown = useRef<string | undefined>(undefined);
  const asked = `${key} ${round.value}`;
  useEffect(() => {
    const left = new AbortController();
    state.value = { ...state.peek(), isLoading: true };
    void read(left.signal).then((answer) => {
      if (left.signal.aborted) return;
      if (answer.ok) {
        shown.current = key;
        state.value = { data: answer.data, error: undefined, isLoading: false };
      } else {
        const data = shown.current === key ? state.peek().data : undefined;
        state.value = { data, error: failureText(answer), isLoading: false };
      }
    });
    return () => left.abort();
  }, [asked]);
  return { ...state.value, again: () => round.value++ };
}
