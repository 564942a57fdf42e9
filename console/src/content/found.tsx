import type { Signal } from '@preact/signals';
import { KeptButton } from '../parts/kept-button.tsx';
import { timeText } from '../parts/times.ts';
import type { Editing } from './editing.ts';
import { savingIn, tagOf } from './record.ts';
import { text } from './shell.ts';
import { dropUnsaved, editorOf, type Left, offerReplaced } from './unsaved.ts';
import { changesOf, isSame, NOTHING } from './written.ts';

interface Props {
  readonly editing: Editing;
  readonly found: Signal<Left | undefined>;
}

const OF_NO_VERSION = '""';

/** Offers what was typed and not saved before the page was left. */
export function Found({ editing, found }: Props) {
  const { value: left } = found;
  const { value: stored } = editing.stored;
  if (!left) return null;
  const base = stored?.written ?? NOTHING;
  const drop = () => {
    dropUnsaved(left.key);
    found.value = undefined;
  };
  const take = () => {
    const now = editing.written();
    const typed = Object.entries(changesOf(base, now)).filter(([name]) => name in left.written);
    if (!stored && left.sent) editing.adopt(editorOf(left.key), left.sent);
    drop();
    editing.focusText();
    if (stored && savingIn(left.tag) !== savingIn(tagOf(stored))) {
      // Another save came after that text was kept. With the tag of then, no save replaces the other one unseen.
      const itemTag = left.tag ?? OF_NO_VERSION;
      const written = { ...stored.written, ...left.was };
      const draftTag = stored.draftTag && itemTag;
      editing.stored.value = { ...stored, itemTag, draftTag, draftSaving: undefined, written };
      editing.stale.value = stored;
    }
    editing.take({ ...now, ...left.written });
    // What was typed before the answer, and replaced by it, is offered next.
    const replaced = { tag: left.tag, written: Object.fromEntries(typed) };
    offerReplaced(found, editing.account, stored?.id, replaced);
  };
  // It was saved after all, by a request whose answer was lost.
  if (isSame({ ...base, ...left.written }, base)) {
    drop();
    return null;
  }
  return (
    <div class="notice content-found" role="status">
      <p>{text('content.found', { at: timeText(new Date(left.at).toISOString()) })}</p>
      <KeptButton look="button button-primary" onClick={take}>
        {text('content.found.take')}
      </KeptButton>
      <KeptButton look="button" onClick={drop}>
        {text('content.found.drop')}
      </KeptButton>
    </div>
  );
}
