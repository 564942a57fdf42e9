import { language, type TextKey, text } from '../text/text.ts';

/** The keys that have another text for one. */
type Counted = { [Key in TextKey]: `${Key}.one` extends TextKey ? Key : never }[TextKey];

/** A time of ISO 8601 for people. */
export const timeText = (iso: string) => dateText(iso, 'short');

/** The same to the second. */
export const exactTimeText = (iso: string) => dateText(iso, 'medium');

/** In the region of the browser: `en` has American dates, and most readers of English live elsewhere. */
function dateText(iso: string, timeStyle: 'short' | 'medium'): string {
  const place = language() + (/-[A-Z]{2}\b/.exec(navigator.languages.join()) ?? '');
  return new Intl.DateTimeFormat(place, { dateStyle: 'medium', timeStyle }).format(new Date(iso));
}

/** A span of seconds for people, in its largest unit, rounded up. */
export function spanText(seconds: number): string {
  const units = [
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const [unit, size] = units.find(([, size]) => seconds > size) ?? (['second', 1] as const);
  const count = Math.max(1, Math.ceil(seconds / size));
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

/** How long ago a time was, or how far ahead it is. */
export function agoText(iso: string): string {
  const seconds = (new Date(iso).getTime() - Date.now()) / 1000;
  const units = [
    ['year', 31_557_600],
    ['month', 2_629_800],
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  return format.format(unit === 'second' ? 0 : Math.trunc(seconds / size), unit);
}

/** Numbers for people. */
export function numberText(number: number): string {
  return new Intl.NumberFormat(language()).format(number);
}

/** A time of ISO 8601 as a field of a local time has it, or what is typed there as ISO 8601. */
export function toLocal(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromLocal(local: string): string | undefined {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** A text about so many things, with other values; its key with `.one` is about one of them. */
export function countText(
  key: Counted,
  count: number,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return text(count === 1 ? (`${key}.one` as const) : key, { ...values, count: numberText(count) });
}
