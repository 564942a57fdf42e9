import type { Extension } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';
import { text } from './shell.ts';

/** Of the library of the comparison, which heeds only the mouse. */
const FOLDED = '.cm-collapsedLines';

/** Moves the focus away from what is removed: to the first of these that is there, or else into the right text. */
function moveFocus(next: readonly (Element | null | undefined)[], toText: () => void): void {
  const there = next.find((each) => each instanceof HTMLElement);
  if (there) there.focus();
  else toText();
}

/** A button that takes a place of the left text. By a key it does what the library does for the mouse. */
export function placeTaker(toText: () => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = '⇝';
  button.title = text('content.stale.place');
  button.ariaLabel = button.title;
  button.addEventListener('click', ({ detail }) => {
    if (detail !== 0) return;
    button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    // The button stands for the next place now. The last button is removed.
    moveFocus([button.nextElementSibling && button, button.previousElementSibling], toText);
  });
  return button;
}

/** Makes buttons of the folded lines of the left text, which open both sides. In the right text keys are typed. */
export function foldedLinesByKey(toText: () => void): Extension {
  const folded = (view: EditorView) => [...view.contentDOM.querySelectorAll<HTMLElement>(FOLDED)];
  const asButtons = ViewPlugin.define((view) => {
    const mark = {
      read: () => folded(view),
      write: (lines: readonly HTMLElement[]) => {
        for (const each of lines) Object.assign(each, { role: 'button', tabIndex: 0 });
      },
    };
    view.requestMeasure(mark);
    return { update: () => view.requestMeasure(mark) };
  });
  const byKey = EditorView.domEventHandlers({
    keydown({ key, target }, view) {
      const all = folded(view);
      const place = target instanceof HTMLElement ? all.indexOf(target) : -1;
      if (place < 0 || (key !== 'Enter' && key !== ' ')) return false;
      all[place]?.click();
      moveFocus([all[place + 1], all[place - 1]], toText);
      return true;
    },
  });
  return [asButtons, byKey];
}
