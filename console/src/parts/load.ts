import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useEffect, useRef } from 'preact/hooks';
import { failureText } from './failure.ts';
import { useSettling } from './settled.ts';

type Answer<Data> = { readonly ok: true; readonly data: Data } | AnyFailure;

export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly failure: AnyFailure | undefined;
  /** What went wrong, for people. */
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly again: () => void;
}

interface State<Data> extends Pick<Loaded<Data>, 'data' | 'failure'> {
  /** What was asked and has this answer. */
  readonly asked: string | undefined;
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
  const state = useSignal<State<Data>>({ data: undefined, failure: undefined, asked: undefined });
  /** The key of the data. */
  const shown = useRef<string | undefined>(undefined);
  const asked = `${key} ${round.value}`;
  useEffect(() => {
    const left = new AbortController();
    void read(left.signal).then((answer) => {
      if (left.signal.aborted) return;
      if (answer.ok) {
        shown.current = key;
        state.value = { data: answer.data, failure: undefined, asked };
      } else {
        const data = shown.current === key ? state.peek().data : undefined;
        state.value = { data, failure: answer, asked };
      }
    });
    return () => left.abort();
  }, [asked]);
  const { data, failure } = state.value;
  const isLoading = state.value.asked !== asked;
  useSettling(isLoading);
  return { data, failure, error: failure && failureText(failure), isLoading, again: () => round.value++ };
}
