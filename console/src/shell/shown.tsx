import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../parts/focus.ts';
import { isOutdated, isWaitingForNetwork, untilLoaded } from '../parts/later.ts';
import { Notice } from '../parts/notice.tsx';
import { useSettling } from '../parts/settled.ts';
import { text } from '../text/text.ts';
import type { Params, View, ViewComponent } from '../views.ts';
import { useTitle } from './title.ts';

interface Loaded {
  readonly view: View;
  readonly Component: ViewComponent;
}

/** The view that was shown before this one, on this page. */
let last: string | undefined;

/**
 * Loads a view and shows it. After a navigation the focus is at its heading, so that a keyboard and a screen reader begin
 * there.
 */
export function Shown({ view, params }: { readonly view: View; readonly params: Params }) {
  const loaded = useSignal<Loaded | undefined>(undefined);
  const place = useRef<HTMLDivElement>(null);
  const address = view.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '');
  const { value } = loaded;
  const Component = value?.view === view ? value.Component : undefined;
  const isThere = Component !== undefined || isOutdated.value;
  useTitle(view.title);
  useSettling(!isThere);
  useEffect(
    () =>
      untilLoaded(view.load, (module) => {
        loaded.value = { view, Component: module.default };
      }),
    [view],
  );
  useEffect(() => {
    if (!isThere) return;
    const isNavigation = last !== undefined && last !== address;
    last = address;
    if (isNavigation) focusHeading(place.current);
  }, [isThere, address]);
  return (
    <div ref={place}>
      {isOutdated.value && (
        <div class="message" role="alert">
          <h1>{text('outdated')}</h1>
          <p>{text('outdated.what')}</p>
          <button type="button" class="button button-primary" onClick={() => location.reload()}>
            {text('outdated.reload')}
          </button>
        </div>
      )}
      {isWaitingForNetwork() && <Notice kind="bad">{text('error.network')}</Notice>}
      {Component ? <Component params={params} /> : !isThere && <p class="waiting" aria-busy="true" />}
    </div>
  );
}

function focusHeading(place: HTMLElement | null): void {
  // What has the focus already was put there by the view.
  if (place?.contains(document.activeElement)) return;
  const heading = place?.querySelector('h1') ?? place?.closest('main') ?? null;
  if (heading) focusOn(heading);
}
