import { signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLater } from '../parts/later.ts';
import { Actions } from './actions.tsx';
import { Editing } from './editing.ts';
import { askBeforeLeaving } from './leaving.ts';
import type { Stored } from './record.ts';
import { Settings } from './settings.tsx';
import { text, useSubject } from './shell.ts';
import { TextField } from './text-field.tsx';
import { findUnsaved } from './unsaved.ts';

interface Props {
  readonly me: { readonly id: number };
  readonly stored: Stored | undefined;
  /** A new item has got its id. */
  readonly onMade: (id: number) => void;
}

/** Is it the S of a keyboard? Where its letters are not Latin ones, it is the key at the place of the S. */
const isS = ({ key, code }: KeyboardEvent) =>
  /^\p{Script=Latin}$/u.test(key) ? key.toLowerCase() === 's' : code === 'KeyS';

/** The editor of one item. */
export function Editor({ me, stored, onMade }: Props) {
  const editing = useMemo(() => new Editing(me.id, stored), []);
  const found = useMemo(() => signal(findUnsaved(me.id, stored?.id)), []);
  const isPreviewed = useSignal(false);
  const preview = useLater(isPreviewed.value, () => import('./preview.tsx'));
  const { value: theirs } = editing.stale;
  const stale = useLater(theirs !== undefined, () => import('./stale.tsx'));
  const offer = useLater(found.value !== undefined, () => import('./found.tsx'));

  useEffect(() => {
    const stopAsking = askBeforeLeaving(
      () => editing.isDirty.peek(),
      () => editing.keep(),
    );
    const onKey = (event: KeyboardEvent) => {
      if (!isS(event) || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // What is typed there counts, as if the field was left.
      document.activeElement?.dispatchEvent(new FocusEvent('blur'));
      void editing.save();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      stopAsking();
      document.removeEventListener('keydown', onKey);
      editing.close();
    };
  }, []);
  const heading = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The browser heeds `autofocus` only until a page has had its first focus.
    if (!stored) heading.current?.focus();
  }, []);
  const made = editing.stored.value?.id;
  useEffect(() => {
    if (!stored && made !== undefined) onMade(made);
  }, [made]);

  const { title, language } = editing.fields.value;
  const { value: problem } = editing.problem;
  useSubject(title);
  return (
    <div class="content-editor">
      <h1 class="visually-hidden" dir="auto">
        {title || text(made === undefined ? 'content.new' : 'content.edit')}
      </h1>
      <Actions editing={editing} isPreviewed={isPreviewed} />
      {problem !== undefined && (
        <p class="notice notice-bad" role="alert">
          {problem.message}
        </p>
      )}
      {!editing.isKept.value && (
        <p class="notice" role="status">
          {text('content.unkept')}
        </p>
      )}
      {offer && <offer.Found editing={editing} found={found} />}
      <div class="content-columns">
        <div class="content-writing">
          <input
            ref={heading}
            class="content-title"
            aria-label={text('content.title')}
            placeholder={text('content.title')}
            maxLength={200}
            dir="auto"
            lang={language || undefined}
            required
            aria-invalid={problem?.field === 'title' || undefined}
            value={title}
            onInput={({ currentTarget }) => editing.change({ title: currentTarget.value })}
          />
          <TextField editing={editing} isHidden={isPreviewed.value} />
          {isPreviewed.value && preview && <preview.Preview written={editing.written()} />}
        </div>
        <Settings editing={editing} />
      </div>
      {theirs && stale && <stale.Stale editing={editing} theirs={theirs} found={found} />}
    </div>
  );
}
