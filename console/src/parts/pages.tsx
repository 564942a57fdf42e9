import { useEffect } from 'preact/hooks';
import { text } from '../text/text.ts';
import { numberText } from './times.ts';

interface Props {
  readonly page: number;
  readonly last: number;
  /**
   * The page of the rows that are shown, which may still be another one. Where it is beyond the last, the last is
   * opened.
   */
  readonly shown?: number | undefined;
  /** Whether there is more than the pages reach. */
  readonly isCut?: boolean;
  readonly onPage: (page: number, how?: { readonly replace: boolean }) => void;
}

export function Pages({ page, last, shown, isCut = false, onPage }: Props) {
  const isBeyond = shown === page && page > last;
  useEffect(() => {
    // Back would lead to the empty page again.
    if (isBeyond) onPage(last, { replace: true });
  }, [isBeyond]);
  if (last <= 1 && page <= 1) return null;
  // A button that is disabled loses the focus, which it has where it led to the last page.
  const to = (label: string, target: number, isOff: boolean) => (
    <button type="button" class="button" aria-disabled={isOff} onClick={() => !isOff && onPage(target)}>
      {label}
    </button>
  );
  return (
    <nav class="pages" aria-label={text('pages')}>
      {to(text('pages.first'), 1, page <= 1)}
      {to(text('pages.previous'), page - 1, page <= 1)}
      <span>{text('pages.at', { page: numberText(page), last: numberText(last) })}</span>
      {to(text('pages.next'), page + 1, page >= last)}
      {to(text('pages.last'), last, page >= last)}
      {isCut && <small>{text('pages.cut')}</small>}
    </nav>
  );
}
