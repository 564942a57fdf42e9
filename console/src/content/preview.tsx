import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { failureText } from '../parts/failure.ts';
import { ask } from './ask.ts';
import { text } from './shell.ts';
import { nodesOf } from './trusted-html.ts';
import type { Written } from './written.ts';

/** What the text looks like, as the service makes it. Nothing in it runs, and nothing is loaded from elsewhere. */
export function Preview({ written: { content, language } }: { readonly written: Written }) {
  const place = useRef<HTMLElement>(null);
  const problem = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const left = new AbortController();
    void ask('previewContent', { body: { content }, signal: left.signal }).then((made) => {
      if (left.signal.aborted) return;
      if (made.ok) place.current?.replaceChildren(nodesOf(made.data.html));
      else {
        const asWritten = document.createElement('pre');
        asWritten.textContent = content;
        place.current?.replaceChildren(asWritten);
        problem.value = failureText(made);
      }
    });
    return () => left.abort();
  }, [content]);
  return (
    <>
      {problem.value !== undefined && (
        <p class="notice notice-bad" role="alert">
          {problem.value}
        </p>
      )}
      <article
        ref={place}
        class="content-preview"
        aria-label={text('content.preview')}
        dir="auto"
        lang={language || undefined}
      />
    </>
  );
}
