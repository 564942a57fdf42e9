import { useEffect } from 'preact/hooks';
import { type TextKey, text } from '../text/text.ts';

/** The title of the page: where one is, then the name of the console. Nothing where the view itself says it. */
export function useTitle(title: TextKey | undefined): void {
  const said = title === undefined ? undefined : text(title);
  useEffect(() => {
    if (said !== undefined) document.title = `${said} · Stoa`;
  }, [said]);
}
