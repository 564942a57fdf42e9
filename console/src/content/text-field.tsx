import { useEffect, useRef } from 'preact/hooks';
import { untilLoaded } from '../parts/later.ts';
import type { Editing } from './editing.ts';
import { text } from './shell.ts';

/** The text of an item. The text editor is loaded when it is needed; typing begins when it is there. */
export function TextField({ editing, isHidden }: { readonly editing: Editing; readonly isHidden: boolean }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let close = () => {};
    let opening = editing.fields.peek().content;
    editing.connect(
      () => opening,
      (next) => {
        opening = next;
      },
    );
    const open = ({ openTextEditor }: typeof import('./text-editor.ts')) => {
      if (!host.current) return;
      const editor = openTextEditor(host.current, {
        text: opening,
        label: text('content.text'),
        hint: text('content.text.how'),
        onChange: () => editing.touched(),
      });
      editing.connect(editor.text, editor.replace, editor.focus);
      close = editor.destroy;
    };
    const stop = untilLoaded(() => import('./text-editor.ts'), open);
    return () => {
      stop();
      // The text is kept before its editor ends.
      editing.keep();
      close();
    };
  }, []);
  const { language } = editing.fields.value;
  return <div ref={host} class="content-text" hidden={isHidden} lang={language || undefined} />;
}
