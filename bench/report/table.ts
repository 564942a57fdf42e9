import type { Line } from '../row.ts';

const HEADINGS = ['work', 'promise', 'measured', '', 'figures'] as const;

/** The lines as columns for a terminal. */
export function textTable(lines: readonly Line[]): string {
  const rows = [HEADINGS, ...lines.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The lines as a Markdown table. */
export function markdownTable(lines: readonly Line[]): string {
  const row = (texts: readonly string[]) =>
    `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(HEADINGS), row(HEADINGS.map(() => '---')), ...lines.map((line) => row(cells(line)))].join('\n');
}

function cells({ work, promise, measured, verdict, detail }: Line): string[] {
  return [work, promise, measured, verdict === 'no promise' ? '' : verdict, detail];
}
