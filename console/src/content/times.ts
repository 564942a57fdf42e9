import { language, text } from './shell.ts';

/** A time of ISO 8601 for people. */
export function timeText(iso: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  );
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

/** A text about so many things; its key with `.one` is about one of them. */
export function countText(key: string, count: number): string {
  return text(count === 1 ? `${key}.one` : key, { count: numberText(count) });
}
