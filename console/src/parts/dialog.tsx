import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { text } from '../text/text.ts';
import { useModal } from './modal.ts';

interface Props {
  readonly title: string;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly isWide?: boolean;
  readonly onYes: () => void;
  readonly onClose: () => void;
  /** What else may be done, besides the action and nothing. */
  readonly other?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A question in a native dialog: Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, action, isDanger, isWide, onYes, onClose, other, children }: Props) {
  const dialog = useModal();
  const name = useId();
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isWide ? 'dialog-wide' : ''}`}
      aria-labelledby={name}
      onClose={onClose}
    >
      <h2 id={name}>{title}</h2>
      {children}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          {text('cancel')}
        </button>
        {other}
        <button
          type="button"
          class={`button ${isDanger ? 'button-danger' : 'button-primary'}`}
          onClick={onYes}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
