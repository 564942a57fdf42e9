import type { Values } from '../parts/form.tsx';
import { isText, text } from '../text/text.ts';
import { EVENTS, type Wanted } from './wanted.ts';

/** An event to people; one of a later version as the service names it. */
export function eventText(event: string): string {
  if (event === '*') return text('webhooks.events.all');
  const key = `webhooks.on.${event}`;
  return isText(key) ? text(key) : event;
}

/** What a webhook asks for, by the form of `EventChoice`. */
export function eventsIn(values: Values): Wanted[] {
  if ('*' in values) return ['*'];
  return EVENTS.filter((event) => event in values);
}
