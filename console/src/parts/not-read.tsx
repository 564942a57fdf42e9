import type { AnyFailure } from '@stoa/client';
import { useEffect } from 'preact/hooks';
import { text } from '../text/text.ts';
import { failureText } from './failure.ts';
import { useFocusKept } from './focus.ts';

interface Props {
  readonly failure: AnyFailure | undefined;
  /** What people read instead of the failure's own words. */
  readonly said?: string | undefined;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/** What the service refuses would be refused again. */
const FINAL = new Set([400, 404]);

/** Says that something could not be read, if so. It is read again by a button, and when the network is back. */
export function NotRead({ failure, said, isLoading, again }: Props) {
  const isFailed = failure !== undefined;
  useEffect(() => {
    if (!isFailed) return undefined;
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [isFailed]);
  if (!failure) return null;
  return (
    <div class="notice notice-bad">
      {/* Without the button, whose text changes with each attempt: a screen reader would say all of it again. */}
      <span role="alert">{said ?? failureText(failure)}</span>
      {!FINAL.has(failure.status) && <Again isLoading={isLoading} again={again} />}
    </div>
  );
}

function Again({ isLoading, again }: Pick<Props, 'isLoading' | 'again'>) {
  const button = useFocusKept<HTMLButtonElement>();
  return (
    <button
      ref={button}
      type="button"
      class="button"
      aria-disabled={isLoading}
      onClick={() => !isLoading && again()}
    >
      {text(isLoading ? 'busy' : 'try_again')}
    </button>
  );
}
