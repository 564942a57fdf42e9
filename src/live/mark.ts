/**
 * How far a listener was told: the number of a change, and its time in milliseconds since 1970. The time tells a database
 * from an older copy of it, in which the number may be that of another change.
 */
export interface Mark {
  readonly number: number;
  readonly at: number;
}

/** Of a feed that never had a change. */
export const START: Mark = { number: 0, at: 0 };

export const EVENT_ID = '^(\\d{1,15})\\.(\\d{1,15})$';
const SHAPE = new RegExp(EVENT_ID);

/** As the `id` of an event has it. It grows, read as a number too. */
export function toEventId({ number, at }: Mark): string {
  return `${number}.${at}`;
}

/** Undefined for what is no id of ours. */
export function toMark(eventId: string): Mark | undefined {
  const [, number, at] = SHAPE.exec(eventId) ?? [];
  return number === undefined || at === undefined ? undefined : { number: Number(number), at: Number(at) };
}
