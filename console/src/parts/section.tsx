import type { ComponentChildren } from 'preact';

interface Props {
  readonly title: string;
  readonly what?: string;
  readonly children: ComponentChildren;
}

/** A part of a page, with a heading of its own. */
export function Section({ title, what, children }: Props) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {what !== undefined && <p class="muted">{what}</p>}
      {children}
    </section>
  );
}
