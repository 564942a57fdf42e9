import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type TextKey, text } from '../text/text.ts';

/** What the view is about, such as the title of an item. */
const subject = signal<string | undefined>(undefined);

/** The title of the page: where one is, then the name of the console. Nothing where the view itself says it. */
export function useTitle(title: TextKey | undefined): void {
  const said = title === undefined ? undefined : subject.value || text(title);
  useEffect(() => {
    if (said !== undefined) document.title = `${said} · Stoa`;
  }, [said]);
}

/** Names what the view is about in the title of the page, until the view is left. */
export function useSubject(name: string | undefined): void {
  useEffect(() => {
    subject.value = name;
  }, [name]);
  useEffect(
    () => () => {
      subject.value = undefined;
    },
    [],
  );
}
