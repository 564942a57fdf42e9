import { timeText } from '../parts/times.ts';
import { text } from './shell.ts';
import type { Unsaved } from './unsaved.ts';

interface Props {
  readonly unsaved: Unsaved;
  readonly onTake: () => void;
  readonly onDrop: () => void;
}

/** Offers what was typed and not saved before the page was left. */
export function Found({ unsaved, onTake, onDrop }: Props) {
  return (
    <div class="notice content-found" role="status">
      <p>{text('content.found', { at: timeText(new Date(unsaved.at).toISOString()) })}</p>
      <button type="button" class="button button-primary" onClick={onTake}>
        {text('content.found.take')}
      </button>
      <button type="button" class="button" onClick={onDrop}>
        {text('content.found.drop')}
      </button>
    </div>
  );
}
