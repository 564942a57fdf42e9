import { language } from '../text/text.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A number of bytes for people, in its largest unit. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  const format = new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    maximumFractionDigits: value < 10 ? 1 : 0,
  });
  return format.format(value);
}
