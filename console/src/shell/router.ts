import { computed, signal } from '@preact/signals';
import { untilSettled } from '../parts/settled.ts';
import { BASE } from '../stoa.ts';

/**
 * Addresses of the console. The Navigation API tells every navigation of the page, by a link, by Back or by `go`;
 * browsers without it get the same by clicks and `popstate`.
 */

interface NavigateEvent extends Event {
  readonly canIntercept: boolean;
  readonly navigationType: string;
  readonly hashChange: boolean;
  readonly downloadRequest: string | null;
  readonly formData: FormData | null;
  readonly destination: { readonly url: string };
  readonly signal: AbortSignal;
  intercept(options: { handler: () => Promise<void>; focusReset: 'manual' }): void;
}

interface Navigation extends EventTarget {
  navigate(url: string, options?: { history?: 'auto' | 'replace' }): object;
}

const navigation = Reflect.get(globalThis, 'navigation') as Navigation | undefined;

const here = signal(new URL(location.href));
/** The path below the folder of the console, with a slash at its beginning and none at its end. */
export const path = computed(() => pathIn(here.value) ?? '/');
export const search = computed(() => here.value.search);
export const hash = computed(() => here.value.hash);

/** Undefined for an address outside of the console. */
function pathIn({ origin, pathname }: URL): string | undefined {
  if (origin !== location.origin) return undefined;
  if (`${pathname}/` === BASE) return '/';
  if (!pathname.startsWith(BASE)) return undefined;
  return `/${pathname.slice(BASE.length).replace(/\/+$/, '')}`;
}

function arrive(): void {
  here.value = new URL(location.href);
}

/** Opens a view by its path in the console, such as `/people?page=2`. */
export function go(to: string, { replace = false } = {}): void {
  const url = new URL(BASE + to.replace(/^\//, ''), location.origin).href;
  if (navigation) {
    navigation.navigate(url, { history: replace ? 'replace' : 'auto' });
    return;
  }
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  arrive();
}

/** Remembers where the person is. Returns what opens a view from there, unless the person has left meanwhile. */
export function goFromHere(): (to: string) => void {
  const from = path.peek();
  return (to) => {
    if (path.peek() === from) go(to);
  };
}

/** Begins to follow navigations. */
export function startRouter(): void {
  if (navigation) navigation.addEventListener('navigate', (event) => take(event as NavigateEvent));
  else followClicks();
  // A second setup link differs in its fragment only. Neither of the two follows such a change.
  addEventListener('hashchange', arrive);
}

function take(event: NavigateEvent): void {
  const { canIntercept, navigationType, hashChange, downloadRequest, formData, destination } = event;
  // A reload begins everything again, as after a sign-out.
  if (navigationType === 'reload') return;
  if (!canIntercept || hashChange || downloadRequest !== null || formData || event.defaultPrevented) return;
  if (pathIn(new URL(destination.url)) === undefined) return;
  const handler = async () => {
    arrive();
    // When this is over, the browser scrolls to where Back leads. Before, the page is not as long as it was.
    if (navigationType === 'traverse') await untilSettled(event.signal);
  };
  event.intercept({ handler, focusReset: 'manual' });
}

function followClicks(): void {
  addEventListener('popstate', arrive);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    const to = pathIn(url);
    if (to === undefined || (url.hash && url.pathname === location.pathname)) return;
    event.preventDefault();
    go(to + url.search);
  });
}
