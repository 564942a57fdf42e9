import { useSignal } from '@preact/signals';
import { text } from '../text/text.ts';

/**
 * Copies texts, and says what came of it. `refused` is the text where the browser lets no page write to the clipboard, as at
 * a plain HTTP address.
 */
export function useCopying() {
  const said = useSignal('');
  const refused = useSignal<string | undefined>(undefined);
  const copy = async (made: string): Promise<void> => {
    said.value = '';
    try {
      await navigator.clipboard.writeText(made);
      refused.value = undefined;
      said.value = text('copied');
    } catch {
      refused.value = made;
      said.value = text('copied.not');
    }
  };
  return { said, refused, copy };
}
