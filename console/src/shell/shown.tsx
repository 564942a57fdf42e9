import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isOutdated, missing } from '../parts/later.ts';
import { text } from '../text/text.ts';
import type { Params, View, ViewComponent } from '../views.ts';
import { useTitle } from './title.ts';

interface Loaded {
  readonly view: View;
  readonly Component: ViewComponent | undefined;
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
  const isThere = value?.view === view;
  useTitle(view.title);
  useEffect(() => {
    let isLeft = false;
    const show = (Component: ViewComponent | undefined) => {
      if (!isLeft) loaded.value = { view, Component };
    };
    view.load().then(
      (module) => show(module.default),
      () => {
        missing();
        show(undefined);
      },
    );
    return () => {
      isLeft = true;
    };
  }, [view]);
  useEffect(() => {
    if (!isThere) return;
    const isNavigation = last !== undefined && last !== address;
    last = address;
    if (isNavigation) focusHeading(place.current);
  }, [isThere, address]);
  if (!isThere) return <p class="waiting" aria-busy="true" />;
  const { Component } = value;
  return (
    <div ref={place}>
      {(!Component || isOutdated.value) && (
        <div class="message" role="alert">
          <h1>{text('outdated')}</h1>
          <p>{text('outdated.what')}</p>
          <button type="button" class="button button-primary" onClick={() => location.reload()}>
            {text('outdated.reload')}
          </button>
        </div>
      )}
      {Component && <Component params={params} />}
    </div>
  );
}

function focusHeading(place: HTMLElement | null): void {
  // What has the focus already was put there by the view.
  if (place?.contains(document.activeElement)) return;
  const heading = place?.querySelector('h1') ?? place?.closest('main') ?? null;
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
