import { useLayoutEffect, useRef } from 'preact/hooks';

/** Gives the focus to what has none by itself, such as a heading. */
export function focusOn(element: HTMLElement): void {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/**
 * An element whose focus is given to the heading of its section, or of the page, when the element is removed. Browsers
 * give it to the page itself, where a keyboard and a screen reader begin again.
 */
export function useFocusKept<Kept extends HTMLElement>() {
  const kept = useRef<Kept>(null);
  // Other effects end only after the element is gone.
  useLayoutEffect(() => {
    const { current: element } = kept;
    return () => {
      if (!element?.contains(document.activeElement)) return;
      const around = element.closest('section:has(> h2)') ?? element.closest('main');
      const heading = around?.querySelector<HTMLElement>('h1, h2');
      if (heading) focusOn(heading);
    };
  }, []);
  return kept;
}
