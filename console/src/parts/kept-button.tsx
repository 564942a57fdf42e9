import type { ComponentChildren } from 'preact';
import { useFocusKept } from './focus.ts';

interface Props {
  readonly look: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

/** A button that is removed by what it does: the keyboard goes on at the heading. */
export function KeptButton({ look, onClick, children }: Props) {
  const button = useFocusKept<HTMLButtonElement>();
  return (
    <button ref={button} type="button" class={look} onClick={onClick}>
      {children}
    </button>
  );
}
