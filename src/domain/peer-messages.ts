import { isOutcome, type Outcome } from './outcome.ts';

/** The messages between two processes of one service (`Peer`). One message has all items of a turn of the event loop. */
export type Item =
  | { readonly kind: 'call'; readonly number: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'answer'; readonly number: number; readonly outcome: Outcome }
  | { readonly kind: 'notice'; readonly name: string; readonly input: unknown };

export interface PeerMessage {
  readonly items: readonly Item[];
}

export function isPeerMessage(message: unknown): message is PeerMessage {
  if (typeof message !== 'object' || message === null) return false;
  return 'items' in message && Array.isArray(message.items) && message.items.every(isItem);
}

function isItem(item: unknown): item is Item {
  if (typeof item !== 'object' || item === null || !('kind' in item)) return false;
  if (item.kind === 'answer')
    return (
      'number' in item && typeof item.number === 'number' && 'outcome' in item && isOutcome(item.outcome)
    );
  const isNamed = 'name' in item && typeof item.name === 'string' && 'input' in item;
  if (item.kind === 'notice') return isNamed;
  return item.kind === 'call' && isNamed && 'number' in item && typeof item.number === 'number';
}
