import type { ComponentChildren } from 'preact';

interface Props {
  readonly kind?: 'good' | 'bad' | 'warn';
  readonly children: ComponentChildren;
}

/** Something to be read, also by a screen reader as soon as it is there. */
export function Notice({ kind, children }: Props) {
  return (
    <div class={`notice ${kind ? `notice-${kind}` : ''}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
