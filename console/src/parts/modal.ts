import { useEffect, useRef } from 'preact/hooks';

/** A native dialog that is open as long as it is there. The focus returns to where it was. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // A dialog that is removed while it is open does not give the focus back itself.
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return dialog;
}
