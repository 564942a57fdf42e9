import type { Page } from 'playwright-core';

/** Something that is seen on a page. */
export interface Part {
  /** Its element and its words, in ASCII. */
  readonly what: string;
  /** Its colour, and that of its background. */
  readonly colours: string;
  /** Its place in whole pixels: left, top, width, height. */
  readonly place: readonly number[];
}

/** What is seen on a page: every element with words of its own, every field and every drawing, in their order. */
export function outlineOf(page: Page): Promise<Part[]> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('body *')).flatMap((element) => {
      const own = Array.from(element.childNodes, (node) => (node.nodeType === 3 ? node.textContent : ''));
      const words = [
        ...own,
        element.getAttribute('placeholder') ?? '',
        String(Reflect.get(element, 'value') ?? ''),
      ];
      const { left, top, width, height } = element.getBoundingClientRect();
      const isSeen = element.checkVisibility() && width > 1 && height > 1 && top < innerHeight;
      const isPart = words.join('').trim() !== '' || ['input', 'select', 'svg'].includes(element.localName);
      if (!isSeen || !isPart) return [];
      const { color, backgroundColor } = getComputedStyle(element);
      const what = `${element.localName} ${words.join(' ').replaceAll(/\s+/g, ' ').trim()}`;
      return [
        {
          what: what.replaceAll(/[^ -~]/g, '?'),
          colours: `${color} ${backgroundColor}`,
          place: [left, top, width, height].map(Math.round),
        },
      ];
    }),
  );
}

/** What differs in two outlines, where a place may differ by so many pixels. */
export function differences(before: readonly Part[], now: readonly Part[], pixels: number): string[] {
  const said = ({ what, colours }: Part) => `${what} (${colours})`;
  const found: string[] = [];
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [one, other] = [before[index], now[index]];
    if (!one || !other || said(one) !== said(other))
      found.push(`${one ? said(one) : 'nothing'} is ${other ? said(other) : 'gone'}`);
    else if (one.place.some((at, side) => Math.abs(at - (other.place[side] ?? 0)) > pixels))
      found.push(`${one.what} is at ${other.place.join(' ')} instead of ${one.place.join(' ')}`);
  }
  return found;
}
