import type { ComponentChildren } from 'preact';
import { Mark } from '../shell/layout.tsx';
import { Preferences } from '../shell/preferences.tsx';

/** The frame of what is shown to those who are not signed in. */
export function Door({ children }: { readonly children: ComponentChildren }) {
  return (
    <main class="door" tabIndex={-1}>
      <p class="brand">
        <Mark />
        Stoa
      </p>
      <div class="door-card">{children}</div>
      <Preferences />
    </main>
  );
}
