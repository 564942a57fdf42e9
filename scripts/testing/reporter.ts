import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { spec, type TestEvent } from 'node:test/reporters';
import { filesOfProcesses } from './processes.ts';

/**
 * The reporter of Node.js, with a failure for each file whose tests did not all run. The runner reports a file as
 * passed when its process exits with 0, even if that process left tests out.
 */
export default async function* reporter(events: AsyncIterable<TestEvent>) {
  yield* Readable.from(withVanished(events)).compose(new spec());
}

const RUN = process.env.STOA_TEST_RUN ?? '';
/** Hands the sums of one step of the run to the next. */
const SUMS = join(RUN, 'sums.json');
const PROCESSES = filesOfProcesses(RUN);

/** What one process said. */
class ProcessRecord {
  /** Where a test ended: `file:line`. */
  readonly places = new Set<string>();
  /** Suites that ended, by id. */
  readonly suites = new Map<number, string>();
  /** The suite that each test or suite is in, by id. */
  readonly parents = new Map<number, number>();
  /** The suites of the files, by id. */
  readonly files = new Map<number, string>();
  /** The process came to the end of its tests and said so. */
  isSummed = false;
  /** True if the process failed as a whole, which the runner reports itself. */
  hasFailed = false;
}

/** The events of the run, with a failure before the sums for each test that is missing. */
async function* withVanished(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  const records = new Map<string, ProcessRecord>();
  const skipped: string[] = [];
  const sums = sumsBefore();
  let failures: string[] | undefined;
  for await (const event of events) {
    note(event, records, skipped);
    const sum = sumIn(event);
    if (!sum) {
      yield withNames(event);
      continue;
    }
    if (!failures) {
      failures = [...records].flatMap(([entry, record]) => complaints(PROCESSES[entry] ?? [], record));
      for (const each of skipped) {
        if (process.env.CI === 'true') failures.push(`Skipped, which CI does not allow: ${each}`);
        else yield line(`Skipped: ${each}`);
      }
      for (const each of failures) yield* failureOf(each);
      if (failures.length > 0) process.exitCode = 1;
    }
    const isRaised = sum.name === 'tests' || sum.name === 'fail';
    sums[sum.name] = (sums[sum.name] ?? 0) + sum.count + (isRaised ? failures.length : 0);
    yield line(`${sum.name} ${sums[sum.name]}`);
  }
  writeFileSync(SUMS, JSON.stringify(sums));
}

/** The sums of the earlier steps of this run. */
function sumsBefore(): Record<string, number> {
  return existsSync(SUMS) ? JSON.parse(readFileSync(SUMS, 'utf8')) : {};
}

function note({ type, data }: TestEvent, records: Map<string, ProcessRecord>, skipped: string[]): void {
  if (data === undefined || !('file' in data) || data.file === undefined) return;
  // Without an entry file, the event is about a process as a whole.
  const entryFile = 'entryFile' in data && typeof data.entryFile === 'string' ? data.entryFile : undefined;
  const entry = entryFile ?? data.file;
  const record = records.get(entry) ?? new ProcessRecord();
  records.set(entry, record);
  if (type === 'test:summary') record.isSummed = true;
  if (entryFile === undefined) record.hasFailed ||= type === 'test:fail';
  else if (type === 'test:enqueue') {
    if (data.nesting === 0) record.files.set(data.testId, data.name);
    else if (data.parentId !== undefined) record.parents.set(data.testId, data.parentId);
  } else if (type === 'test:pass' || type === 'test:fail') {
    if (data.line !== undefined) record.places.add(`${data.file}:${data.line}`);
    const reason = data.skip ?? data.todo;
    const isSkipped = reason !== undefined && reason !== false;
    if (data.details.type === 'suite' && !isSkipped) record.suites.set(data.testId, data.name);
    const why = typeof reason === 'string' ? reason : data.skip === undefined ? 'to do' : 'no reason given';
    if (isSkipped) skipped.push(`${nameOf(data.file)}: "${data.name}" (${why})`);
  }
}

/** A process that fails as a whole is shown with the names of its test files. */
function withNames(event: TestEvent): TestEvent {
  const { data } = event;
  if (data === undefined || !('file' in data) || !('name' in data) || 'entryFile' in data) return event;
  const files = PROCESSES[data.file ?? ''];
  if (files) data.name = files.map(nameOf).join(', ');
  return event;
}

function complaints(files: readonly string[], record: ProcessRecord): string[] {
  // The runner has reported it by its name.
  if (record.hasFailed && files.length === 1) return [];
  const hasEnded = (file: string) => [...record.suites.values()].includes(nameOf(file));
  const underWay = record.isSummed ? undefined : (files.find((file) => !hasEnded(file)) ?? files.at(-1));
  const after = underWay === undefined ? [] : files.slice(files.indexOf(underWay) + 1);
  const lost = after.map((file) => `${nameOf(file)}: it did not begin, because its process had ended`);
  return [
    ...files
      .filter((file) => !after.includes(file))
      .flatMap((file) => complaint(file, record, file === underWay)),
    ...lost,
  ];
}

function complaint(
  file: string,
  { places, suites, parents, files }: ProcessRecord,
  isUnderWay: boolean,
): string[] {
  const name = nameOf(file);
  const say = (problem: string) => [`${name}: ${problem}`];
  const sites = sitesOf(file);
  if (sites.length === 0) return say('it contains no test');
  const lost = sites
    .filter((site) => !places.has(`${file}:${site.line}`))
    .map((site) => `line ${site.line}, ${site.title}`);
  const list = lost.length > 0 ? `; without a result: ${lost.join('; ')}` : '';
  if (isUnderWay) return say(`its process ended before its tests were done${list}`);
  if (lost.length > 0) return say(`not all of its tests ran${list}`);
  const full = new Set(parents.values());
  const fileOf = (id: number | undefined): string | undefined =>
    id === undefined ? undefined : (files.get(id) ?? fileOf(parents.get(id)));
  const empty = [...suites]
    .filter(([id]) => !full.has(id) && fileOf(id) === name)
    .map(([, title]) => `"${title}"`);
  return empty.length > 0 ? say(`it has a suite without a test: ${empty.join(', ')}`) : [];
}

const nameOf = (file: string) => relative('.', file);

/** The line before a test that only PostgreSQL has. */
const ON_POSTGRES = /^\s*if \((?:engine\.)?name === 'PostgreSQL'\)$/;

/**
 * Each line of the file that declares a test: a call of `it` or `test`, also as `it.skip`. A run on SQLite alone has no
 * test that only PostgreSQL has.
 */
function sitesOf(file: string): { readonly line: number; readonly title: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, index, lines) => {
      const call = /^(?:[^'"`/]*[^'"`/.\w])?(?:it|test)(?:\.\w+)?\((.*)$/.exec(text);
      if (process.env.STOA_TEST_ENGINE === 'sqlite' && ON_POSTGRES.test(lines[index - 1] ?? '')) return [];
      return call ? [{ line: index + 1, title: call[1]?.replace(/, (async )?\(.*/, '') ?? '' }] : [];
    });
}

/** One of the lines with the sums of a run. */
function sumIn({ type, data }: TestEvent): { readonly name: string; readonly count: number } | undefined {
  if (type !== 'test:diagnostic' || data.nesting !== 0) return undefined;
  const [, name, count] =
    /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/.exec(data.message) ?? [];
  return name === undefined ? undefined : { name, count: Number(count) };
}

function line(message: string): TestEvent {
  return { type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } };
}

/** A failure that no test reported, shown here and in the list at the end. */
function* failureOf(name: string): Generator<TestEvent> {
  const place = { name, nesting: 0, tags: [], testId: 0, parentId: undefined };
  yield { type: 'test:start', data: { ...place } };
  // For an error with this code, the reporter shows only the cause.
  const error = Object.assign(new Error(name), { code: 'ERR_TEST_FAILURE', cause: name });
  const details = { duration_ms: 0, error, type: 'test' as const };
  yield { type: 'test:fail', data: { ...place, testNumber: 0, details } };
}
