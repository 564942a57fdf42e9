import { useSignal } from '@preact/signals';
import { KeptButton } from '../parts/kept-button.tsx';
import { timeText } from '../parts/times.ts';
import { go, text } from './shell.ts';
import { dropUnsaved, editorOf, findUnsaved, keepUnsaved, keyOf } from './unsaved.ts';

interface Props {
  readonly account: number;
  readonly item: number;
}

/** Offers what the account wrote in an item that it can no longer change. The text goes on as a new item. */
export function LeftText({ account, item }: Props) {
  const found = useSignal(findUnsaved(account, item));
  const { value: left } = found;
  if (!left) return null;
  const drop = () => {
    dropUnsaved(left.key);
    found.value = findUnsaved(account, item);
  };
  const take = () => {
    drop();
    const { written } = left;
    keepUnsaved(keyOf(account, undefined, editorOf(left.key)), { at: Date.now(), tag: undefined, written });
    go('/content/new');
  };
  return (
    <div class="notice content-found" role="status">
      <p>{text('content.found', { at: timeText(new Date(left.at).toISOString()) })}</p>
      <button type="button" class="button button-primary" onClick={take}>
        {text('content.found.new')}
      </button>
      <KeptButton look="button" onClick={drop}>
        {text('content.found.drop')}
      </KeptButton>
    </div>
  );
}
