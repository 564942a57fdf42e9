import { text } from './shell.ts';

interface Navigating extends Event {
  readonly navigationType: string;
  readonly hashChange: boolean;
  readonly destination: { readonly url: string };
}

/**
 * Asks before the page is left, only while something is unsaved. Returns what ends that. The browser asks where the
 * tab closes; here it is asked where another view of the console opens.
 */
export function askBeforeLeaving(isDirty: () => boolean, keep: () => void): () => void {
  const closing = (event: BeforeUnloadEvent) => {
    keep();
    if (isDirty()) event.preventDefault();
  };
  const opening = (event: Event) => {
    const { destination, hashChange, navigationType } = event as Navigating;
    const isHere = new URL(destination.url).pathname === location.pathname;
    // A new item gets its address by 'replace'. A reload asks as closing does.
    if (hashChange || isHere || /^re/.test(navigationType) || !event.cancelable) return;
    keep();
    if (isDirty() && !confirm(text('content.leave'))) event.preventDefault();
  };
  const hidden = () => document.visibilityState === 'hidden' && keep();
  const navigation = Reflect.get(globalThis, 'navigation') as EventTarget | undefined;
  addEventListener('beforeunload', closing);
  document.addEventListener('visibilitychange', hidden);
  navigation?.addEventListener('navigate', opening);
  return () => {
    removeEventListener('beforeunload', closing);
    document.removeEventListener('visibilitychange', hidden);
    navigation?.removeEventListener('navigate', opening);
  };
}
