import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { FULL, QUICK } from './datasets/datasets.ts';
import { sqliteTarget } from './datasets/sqlite-target.ts';
import { Generator } from './load/generator.ts';
import { chart } from './report/chart.ts';
import { document } from './report/document.ts';
import { textTable } from './report/table.ts';
import type { Bench, Row, RowResult } from './row.ts';
import { ROWS } from './rows/index.ts';

/** Measures the rows that were named, or all; a run of all of them writes docs/benchmarks.md. */

const DOCS = new URL('../docs/', import.meta.url);

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, profile: { type: 'boolean', default: false } },
});
const unknown = names.filter((name) => !ROWS.some((row) => row.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no row "${unknown[0]}"; the rows are ${ROWS.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}
const rows = names.length === 0 ? ROWS : ROWS.filter(({ name }) => names.includes(name));
const bench: Bench = {
  target: sqliteTarget,
  datasets: options.quick ? QUICK : FULL,
  load: new Generator(),
  background: new Generator(),
  rounds: options.quick ? 1 : 5,
  seconds: options.quick ? 1 : 3,
  profile: options.profile,
};

const begun = performance.now();
const otherLoad = loadavg()[0] ?? 0;
try {
  await bench.target.build([...new Set(rows.flatMap(({ needs }) => needs(bench.datasets)))]);
  const results = await runAll(rows);
  const minutes = (performance.now() - begun) / 60_000;
  process.stdout.write(`${textTable(results.flatMap(({ lines }) => lines))}\n`);
  if (rows.length === ROWS.length && !options.quick) await writeDocs(results, minutes);
} finally {
  await Promise.all([bench.load.close(), bench.background.close()]);
}

async function runAll(chosen: readonly Row[]): Promise<RowResult[]> {
  const results = [];
  for (const row of chosen) {
    const start = performance.now();
    process.stderr.write(`${row.name} (load of the machine ${loadavg()[0]?.toFixed(2)}) ... `);
    const result = await row.run(bench);
    results.push(result);
    process.stderr.write(
      `${((performance.now() - start) / 1000).toFixed(0)} s\n${textTable(result.lines)}\n\n`,
    );
  }
  return results;
}

async function writeDocs(results: readonly RowResult[], minutes: number): Promise<void> {
  await mkdir(DOCS, { recursive: true });
  const run = {
    command: 'npm run bench',
    target: bench.target.name,
    lines: results.flatMap(({ lines }) => lines),
    minutes,
    rounds: bench.rounds,
    seconds: bench.seconds,
    notes: [
      `load of the machine by others when it began: ${otherLoad.toFixed(1)}`,
      ...(await bench.target.describe()),
    ],
  };
  await writeFile(new URL('benchmarks.md', DOCS), document(run));
  const picture = chart(
    results.flatMap(({ latency }) => latency ?? []),
    results.flatMap(({ cost }) => cost ?? []),
  );
  await writeFile(new URL('benchmarks.svg', DOCS), picture);
}
