import { Type } from 'typebox';
import type { Formats } from './validation.ts';

/** RFC 3339, as `Date.parse` reads it. `Date.parse` turns a date beyond the end of a month into another day. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

export const timeFormats: Formats = {
  'date-time': { validate: isDateTime, must: 'must be a time like 2030-01-31T12:00:00Z' },
};

function isDateTime(text: string): boolean {
  const day = DATE_TIME.exec(text)?.[1];
  const meant = Date.parse(text);
  if (day === undefined || Number.isNaN(meant)) return false;
  // In UTC, the year may be before 0000 or after 9999, which no answer could show.
  if (!/^\d/.test(new Date(meant).toISOString())) return false;
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** An optional time of a query, as a text of ISO 8601. `timeIn` reads it. */
export function timeQuery(description: string) {
  return Type.Optional(Type.String({ format: 'date-time', description }));
}

/** Milliseconds since 1970 of a text of the format. */
export function timeIn(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
