import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { timeText } from '../parts/times.ts';
import { memberText } from './difference.tsx';
import type { Editing } from './editing.ts';
import { type Stored, tagOf } from './record.ts';
import { text } from './shell.ts';
import { openMerge } from './text-merge.ts';
import { type Left, offerReplaced } from './unsaved.ts';
import { type Contested, changesOf, contestedOf, mergedOf, NOTHING, type Written } from './written.ts';

interface Props {
  readonly editing: Editing;
  readonly theirs: Stored;
  readonly found: Signal<Left | undefined>;
}

function shown(name: Contested, { publish_at, visibility, ...others }: Written): string {
  if (name === 'visibility') return text(`content.visibility.${visibility}`);
  if (name === 'publish_at') return publish_at === null ? '–' : timeText(publish_at);
  return others[name] || '–';
}

/**
 * Both versions of an item that another save changed meanwhile. The left one is stored. The right one is the author's:
 * it can be edited, and takes places of the left one. It is the text of the editor, whatever closes the dialog.
 */
export function Stale({ editing, theirs, found }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const merge = useRef<ReturnType<typeof openMerge> | undefined>(undefined);
  useEffect(() => {
    if (!host.current) return undefined;
    const opened = openMerge(host.current, {
      theirs: theirs.written.content,
      mine: editing.written().content,
      labels: [text('content.stale.theirs'), text('content.stale.mine')],
      onChange: () => editing.touched(),
    });
    merge.current = opened;
    let chosen: string | undefined;
    const merged = () => chosen ?? opened.text();
    const before = editing.connect(merged, (next) => {
      chosen = next;
    });
    return () => {
      const content = merged();
      editing.connect(before.text, before.put);
      // The editor forgets its history with a new text.
      if (content !== before.text()) before.put(content);
      editing.keep();
      opened.destroy();
    };
  }, [theirs]);
  const { written: base } = editing.stored.peek() ?? { written: NOTHING };
  const mine = editing.written();
  const contested = contestedOf(base, mine, theirs.written);
  const take = () => {
    const written = changesOf(theirs.written, mergedOf(base, editing.written(), theirs.written));
    void editing.resolve(theirs, theirs.written);
    // The author may want the own text after all, or a part of it.
    offerReplaced(found, editing.account, theirs.id, { tag: tagOf(theirs), written });
  };
  return (
    <Dialog
      title={text('content.stale')}
      action={text('content.stale.save')}
      isWide
      other={
        <button type="button" class="button" onClick={take}>
          {text('content.stale.take')}
        </button>
      }
      onYes={() => {
        // Nothing is replaced that was not shown.
        const content = merge.current?.text();
        const written = mergedOf(base, editing.written(), theirs.written);
        if (content !== undefined) void editing.resolve(theirs, { ...written, content });
      }}
      onClose={() => {
        editing.stale.value = undefined;
      }}
    >
      <p>{text('content.stale.what', { at: timeText(theirs.updated) })}</p>
      {contested.length > 0 && (
        <>
          <p>{text('content.stale.both')}</p>
          <table class="table">
            <thead>
              <tr>
                <td />
                <th scope="col">{text('content.stale.theirs')}</th>
                <th scope="col">{text('content.stale.mine')}</th>
              </tr>
            </thead>
            <tbody>
              {contested.map((name) => (
                <tr key={name}>
                  <th scope="row">{memberText(name)}</th>
                  <td dir="auto">{shown(name, theirs.written)}</td>
                  <td dir="auto">{shown(name, mine)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <div class="content-sides" aria-hidden="true">
        <span>{text('content.stale.theirs')}</span>
        <span>{text('content.stale.mine')}</span>
      </div>
      <div ref={host} class="content-merge" />
    </Dialog>
  );
}
