import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useEffect } from 'preact/hooks';
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
 * data stay until the next ones are there.
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
  const asked = `${key} ${round.value}`;
  useEffect(() => {
    const left = new AbortController();
    state.value = { ...state.peek(), isLoading: true };
    void read(left.signal).then((answer) => {
      if (left.signal.aborted) return;
      state.value = answer.ok
        ? { data: answer.data, error: undefined, isLoading: false }
        : { data: undefined, error: failureText(answer), isLoading: false };
    });
    return () => left.abort();
  }, [asked]);
  return { ...state.value, again: () => round.value++ };
}
