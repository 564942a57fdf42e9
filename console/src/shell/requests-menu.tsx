import { useSignal } from '@preact/signals';
import { useLater } from '../parts/later.ts';
import { withTexts } from '../text/more.ts';
import { text } from '../text/text.ts';
import { requests } from './ask.ts';

const load = withTexts(['requests'], () => import('./requests-list.tsx'));

/** A button for what a program asks to get what the view shows. It is absent where the view asked nothing. */
export function RequestsMenu() {
  const isOpen = useSignal(false);
  const list = useLater(isOpen.value, load);
  if (requests.value.length === 0) return null;
  return (
    <>
      <button
        type="button"
        class="button button-quiet requests-button"
        popovertarget="requests"
        title={text('requests')}
      >
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
          <path d="m8 7-5 5 5 5m8-10 5 5-5 5" />
        </svg>
      </button>
      <div
        id="requests"
        popover="auto"
        class="menu requests"
        onToggle={({ newState }) => {
          isOpen.value = newState === 'open';
        }}
      >
        {isOpen.value && list && <list.default />}
      </div>
    </>
  );
}
