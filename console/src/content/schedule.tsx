import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { fromLocal, toLocal } from '../parts/times.ts';
import { text } from './shell.ts';

interface Props {
  readonly at: string | null;
  /** The draft is published over a change of the item. */
  readonly isBehind: boolean;
  readonly onChoose: (at: string | null) => void;
  readonly onClose: () => void;
}

const HOUR_MS = 3_600_000;

/** Chooses when a draft is published by itself. A time that has passed would publish it at once, so it is refused. */
export function Schedule({ at, isBehind, onChoose, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const time = useSignal(toLocal(at ?? new Date(Date.now() + HOUR_MS).toISOString()));
  return (
    <Dialog
      title={text('content.schedule')}
      action={text('content.schedule.yes')}
      onYes={() => {
        if (field.current?.reportValidity()) onChoose(fromLocal(time.value) ?? null);
      }}
      onClose={onClose}
    >
      {isBehind && <p>{text('content.ask.publish.what')}</p>}
      <label class="field">
        <span>{text('content.schedule.at')}</span>
        <input
          ref={field}
          type="datetime-local"
          required
          min={toLocal(new Date().toISOString())}
          value={time.value}
          onInput={({ currentTarget }) => {
            time.value = currentTarget.value;
          }}
        />
        <small>{Intl.DateTimeFormat().resolvedOptions().timeZone}</small>
      </label>
      {at !== null && (
        <button type="button" class="button" onClick={() => onChoose(null)}>
          {text('content.schedule.never')}
        </button>
      )}
    </Dialog>
  );
}
