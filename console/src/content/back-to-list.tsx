import { path, search } from '../shell/router.ts';
import { text } from './shell.ts';

let last = 'content';

/** The address of the list as it was shown last, with its filters and its page. */
export const listAddress = () => last;

/** Notes the address of the list that is shown now. */
export function noteList(): void {
  if (path.value === '/content') last = `content${search.value}`;
}

/** Leads back to the list as it was. */
export function BackToList() {
  return (
    <a href={last} class="content-back">
      <span aria-hidden="true">←</span> {text('content.list')}
    </a>
  );
}
