import type { Signal } from '@preact/signals';
import { Dialog } from '../parts/dialog.tsx';
import { failureText } from '../parts/failure.ts';
import { useLater } from '../parts/later.ts';
import { ask } from './ask.ts';
import { BackToList, listAddress } from './back-to-list.tsx';
import { deletionOf } from './deletion.ts';
import type { Asked, Editing } from './editing.ts';
import { isBehind, type Stored } from './record.ts';
import { discard, publish, type Saved, withdraw } from './save.ts';
import { goFromHere, text } from './shell.ts';
import { isSame, type Written } from './written.ts';

interface Props {
  readonly editing: Editing;
  readonly isPreviewed: Signal<boolean>;
}

/** What an author does with the item: saving, publishing, and what is rarer in a menu. */
export function Actions({ editing, isPreviewed }: Props) {
  const { asked } = editing;
  const schedule = useLater(asked.value === 'schedule', () => import('./schedule.tsx'));
  const { value: stored } = editing.stored;
  const { value: state } = editing.state;
  const isPublished = stored?.status === 'published';
  const hasDraft = stored?.draftTag !== undefined;
  const isNew = !stored;
  // The browser may know no better than that there is a network.
  const isUnanswered = state === 'waiting' && navigator.onLine;
  const isActing = editing.acting.value !== undefined;
  const isBusy = isActing || state === 'saving';
  const isSaveOff = isBusy || (!editing.isDirty.value && !isNew);
  const isPublishOff = isBusy || (isPublished && !hasDraft && !editing.isDirty.value);
  const deletion = deletionOf();

  /**
   * What is sent again by itself is a text. Where it is not known whether anything else was done, the author decides.
   */
  const answered = (done: Saved, written: Written) => {
    if (done.kind === 'offline') editing.problem.value = { message: text('content.unanswered') };
    else editing.settle(done, written);
  };
  const after = async (change: (stored: Stored) => Promise<Saved>) => {
    asked.value = undefined;
    // A new item is sent even while nothing is typed, so that the service says what it lacks.
    if ((isNew || editing.isDirty.peek()) && !(await editing.save())) return;
    const { value: saved } = editing.stored;
    if (!saved || editing.acting.peek()) return;
    await editing.act(async () => {
      let done = await change(saved);
      // A save that changed nothing of what the author sees, such as only `meta`, is no reason not to go on.
      if (done.kind === 'stale' && isSame(done.stored.written, saved.written))
        done = await change(done.stored);
      // Not what is written now: that may have been typed while the save was under way.
      answered(done, saved.written);
    });
  };
  const onPublish = () => {
    const isAgreed = asked.value === 'publish';
    if (isBehind(stored) && !isAgreed) {
      asked.value = 'publish';
      return;
    }
    void after((saved) => publish(saved, isAgreed ? stored?.version : undefined));
  };
  const onDiscard = (stored: Stored) => async () => {
    const done = await discard(stored);
    if (done.kind === 'saved') {
      editing.stored.value = done.stored;
      editing.take(done.stored.written);
    } else answered(done, editing.written());
  };
  const onTrash = (stored: Stored) => async () => {
    const leave = goFromHere();
    const done = await ask('deleteContent', { path: { id: stored.id } });
    if (done.ok) {
      editing.take(stored.written);
      leave(listAddress());
    } else editing.problem.value = { message: failureText(done) };
  };
  const act = (work: (stored: Stored) => () => Promise<void>) => () => {
    asked.value = undefined;
    if (stored) void editing.act(work(stored));
  };
  const choose = (what: Asked) => () => {
    asked.value = what;
    document.getElementById('content-menu')?.hidePopover();
  };

  return (
    <header class="content-actions">
      <BackToList />
      <span class={`badge badge-${isPublished ? 'good' : 'plain'}`}>
        {text(
          isNew ? 'content.status.new' : isPublished ? 'content.status.published' : 'content.status.draft',
        )}
      </span>
      {hasDraft && <span class="badge">{text('content.status.beside')}</span>}
      <span class={`content-state content-state-${state}`} role="status">
        {isActing
          ? text('busy')
          : (!isNew || state !== 'saved') && text(`content.state.${isUnanswered ? 'unanswered' : state}`)}
      </span>
      <span class="content-spacer" />
      <button
        type="button"
        class="button"
        onClick={() => {
          isPreviewed.value = !isPreviewed.value;
        }}
      >
        {text(isPreviewed.value ? 'content.write' : 'content.preview')}
      </button>
      <button
        type="button"
        class="button"
        aria-keyshortcuts="Control+S"
        aria-disabled={isSaveOff}
        onClick={() => !isSaveOff && void editing.save()}
      >
        {text('content.save')}
      </button>
      <button
        type="button"
        class="button button-primary"
        aria-disabled={isPublishOff}
        onClick={() => !isPublishOff && onPublish()}
      >
        {text(isPublished ? 'content.publish_changes' : 'content.publish')}
      </button>
      <button type="button" class="button" popovertarget="content-menu" aria-label={text('content.more')}>
        <span aria-hidden="true">⋯</span>
      </button>
      <div id="content-menu" popover="auto" class="content-menu">
        {stored && <a href={`content/${stored.id}/versions`}>{text('content.versions')}</a>}
        {(!isPublished || hasDraft) && (
          <button type="button" onClick={choose('schedule')}>
            {text('content.schedule')}
          </button>
        )}
        {hasDraft && (
          <button type="button" onClick={choose('discard')}>
            {text('content.discard')}
          </button>
        )}
        {isPublished && !hasDraft && (
          <button type="button" onClick={choose('withdraw')}>
            {text('content.withdraw')}
          </button>
        )}
        {stored && (
          <button type="button" class="danger" onClick={choose(deletion)}>
            {text(`content.to_${deletion}`)}
          </button>
        )}
      </div>
      {asked.value === 'schedule' && schedule && (
        <schedule.Schedule
          at={editing.fields.value.publish_at}
          isBehind={isBehind(stored)}
          onChoose={(publish_at) => {
            asked.value = undefined;
            editing.agreed = stored?.version;
            editing.change({ publish_at });
            void editing.save();
          }}
          onClose={choose(undefined)}
        />
      )}
      {asked.value !== undefined && asked.value !== 'schedule' && (
        <Dialog
          title={text(`content.ask.${asked.value}`)}
          action={isBusy ? text('busy') : text(`content.ask.${asked.value}.yes`)}
          isDanger={asked.value !== 'publish'}
          onYes={() =>
            !isBusy &&
            {
              publish: onPublish,
              withdraw: () => void after(withdraw),
              discard: act(onDiscard),
              trash: act(onTrash),
              purge: act(onTrash),
            }[asked.value as 'publish']()
          }
          onClose={choose(undefined)}
        >
          <p>{text(`content.ask.${asked.value}.what`)}</p>
        </Dialog>
      )}
    </header>
  );
}
