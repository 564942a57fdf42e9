import { loadavg } from 'node:os';
import type { Outcome } from './play.ts';

const HEADINGS = [
  'attack',
  'before',
  '/livez',
  'read',
  'sign-in',
  'peak',
  'at rest',
  'connections',
  'refused',
  'answers to the attackers',
];

export interface Line {
  readonly title: string;
  readonly outcome: Outcome;
}

/** The outcomes as columns for a terminal: waits in milliseconds, memory in MiB. */
export function tableOf(engine: string, lines: readonly Line[]): string {
  const rows = [HEADINGS, ...lines.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const load = loadavg().map((each) => each.toFixed(1));
  return [
    `${engine}: others' worst wait (ms; for /livez before the attack too), memory (MiB); load of the machine ${load.join(', ')}`,
    ...rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  ].join('\n');
}

function cells({ title, outcome }: Line): string[] {
  const { usual, livez, read, login, peak, restBefore, restAfter, heldBefore, heldAfter, refused, answers } =
    outcome;
  return [
    title,
    ...[usual, livez, read, login].map((each) => each.toFixed(0)),
    mib(peak),
    `${mib(restBefore)} -> ${mib(restAfter)}`,
    `${heldBefore} -> ${heldAfter}`,
    String(refused.length),
    [...answers].map(([answer, count]) => `${answer}: ${count}`).join(', '),
  ];
}

function mib(bytes: number): string {
  return String(Math.round(bytes / 1024 / 1024));
}
