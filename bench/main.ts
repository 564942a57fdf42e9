import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Datasets, FULL, QUICK, SMALL_AND_LARGE } from './datasets/datasets.ts';
import { PostgresTarget } from './datasets/postgres-target.ts';
import { sqliteTarget } from './datasets/sqlite-target.ts';
import { Generator } from './load/generator.ts';
import { chart } from './report/chart.ts';
import { document, type Section } from './report/document.ts';
import { textTable } from './report/table.ts';
import type { Bench, Row, RowResult } from './row.ts';
import { ROWS, STORAGE_ROWS } from './rows/index.ts';
import type { Target } from './target.ts';

/**
 * Measures the named rows, or all of them, on both engines. Only a run of all rows on both writes
 * docs/benchmarks.md.
 */

const DOCS = new URL('../docs/', import.meta.url);

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    sqlite: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const unknown = names.filter((name) => !ROWS.some((row) => row.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no row "${unknown[0]}"; the rows are ${ROWS.map(({ name }) => name).join(', ')}.\n`,
  );
  process.exit(1);
}
const isBoth = options.sqlite === options.postgres;
const isWhole = isBoth && names.length === 0 && !options.quick;
const load = new Generator();
const background = new Generator();
const begun = performance.now();
const otherLoad = loadavg()[0] ?? 0;
const sections: Section[] = [];
const results: RowResult[] = [];
try {
  if (isBoth || options.sqlite) await measure(sqliteTarget, ROWS, FULL, 3);
  if (isBoth || options.postgres) {
    const target = await PostgresTarget.start();
    await measure(target, STORAGE_ROWS, SMALL_AND_LARGE, 2).finally(() => target.close());
  }
  if (isWhole) await writeDocs();
} finally {
  await Promise.all([load.close(), background.close()]);
}

async function measure(target: Target, all: readonly Row[], full: Datasets, rounds: number): Promise<void> {
  const rows = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  const timing = options.quick ? { rounds: 1, seconds: 1 } : { rounds, seconds: 2 };
  const datasets = options.quick ? QUICK : full;
  const steadySeconds = options.quick ? 60 : options.long ? 3_600 : 600;
  const bench: Bench = {
    ...{ target, datasets, load, background, ...timing, steadySeconds },
    profile: options.profile,
  };
  process.stderr.write(`\n${target.name}\n`);
  await target.build([...new Set(rows.flatMap(({ needs }) => needs(datasets)))]);
  const measured = await runAll(bench, rows);
  results.push(...measured);
  const lines = measured.flatMap((result) => result.lines);
  const notes = await target.describe();
  sections.push({ target: target.name, lines, notes, ...timing });
  process.stdout.write(`\n${[target.name, ...notes].join('\n')}\n${textTable(lines)}\n`);
}

async function runAll(bench: Bench, chosen: readonly Row[]): Promise<RowResult[]> {
  const measured = [];
  for (const row of chosen) {
    const start = performance.now();
    process.stderr.write(`${row.name} (load of the machine ${loadavg()[0]?.toFixed(2)}) ... `);
    const result = await row.run(bench);
    measured.push(result);
    process.stderr.write(
      `${((performance.now() - start) / 1000).toFixed(0)} s\n${textTable(result.lines)}\n\n`,
    );
  }
  return measured;
}

async function writeDocs(): Promise<void> {
  await mkdir(DOCS, { recursive: true });
  const run = {
    command: 'npm run bench',
    minutes: (performance.now() - begun) / 60_000,
    notes: [`load of the machine by others when it began: ${otherLoad.toFixed(1)}`],
    sections,
  };
  await writeFile(new URL('benchmarks.md', DOCS), document(run));
  const ofSqlite = results.slice(0, ROWS.length);
  const picture = chart(
    ofSqlite.flatMap(({ latency }) => latency ?? []),
    ofSqlite.flatMap(({ cost }) => cost ?? []),
  );
  await writeFile(new URL('benchmarks.svg', DOCS), picture);
}
