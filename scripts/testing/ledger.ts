import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import type { Site } from './sites.ts';

/** A file whose tests cannot be trusted to have run, and why. */
export interface Problem {
  readonly file: string;
  readonly message: string;
}

interface TestRecord {
  readonly name: string;
  readonly line: number | undefined;
  readonly isSuite: boolean;
  readonly parentId: number | undefined;
  isReported: boolean;
  isSkipped: boolean;
}

/** What the process of one test file said. */
interface FileRecord {
  readonly tests: Map<number, TestRecord>;
  /** Lines of the file where a test ran. */
  readonly lines: Set<number>;
  /** The process came to the end of its tests and said so. */
  isSummed: boolean;
  /** The process failed as a whole, which the runner reports itself. */
  hasFailed: boolean;
}

/**
 * Keeps account of a run, to find tests that vanished: the runner of Node.js reports a file as passed when its
 * process exits with 0, however many of its tests it has left out.
 */
export class Ledger {
  readonly #sites: ReadonlyMap<string, readonly Site[]>;
  readonly #files: ReadonlyMap<string, FileRecord>;
  readonly #skipped: string[] = [];

  /** `sites` has the tests that each file contains, by the absolute path of the file. */
  constructor(sites: ReadonlyMap<string, readonly Site[]>) {
    this.#sites = sites;
    this.#files = new Map([...sites.keys()].map((file) => [file, newRecord()]));
  }

  note({ type, data }: TestEvent): void {
    if (data === undefined || !('file' in data) || data.file === undefined) return;
    // Without an entry file, the event is about the process of a file as a whole.
    const entryFile = 'entryFile' in data && typeof data.entryFile === 'string' ? data.entryFile : undefined;
    const record = this.#files.get(entryFile ?? data.file);
    if (!record) return;
    if (type === 'test:summary') record.isSummed = true;
    if (entryFile === undefined) {
      if (type === 'test:fail') record.hasFailed = true;
      return;
    }
    if (type === 'test:enqueue') {
      const { name, testId, parentId } = data;
      const isSuite = data.type === 'suite';
      record.tests.set(testId, {
        name,
        line: data.line,
        isSuite,
        parentId,
        isReported: false,
        isSkipped: false,
      });
    }
    if (type !== 'test:pass' && type !== 'test:fail') return;
    const test = record.tests.get(data.testId);
    if (test) test.isReported = true;
    if (data.file === entryFile && data.line !== undefined) record.lines.add(data.line);
    const reason = data.skip ?? data.todo;
    if (reason === undefined || reason === false) return;
    if (test) test.isSkipped = true;
    const why = typeof reason === 'string' ? reason : data.skip === undefined ? 'to do' : 'no reason given';
    this.#skipped.push(`${relative('.', entryFile)}: "${data.name}" (${why})`);
  }

  /** Every test that was skipped or is still to do, with the reason. */
  get skipped(): readonly string[] {
    return this.#skipped;
  }

  /** Empty if every test of every file has a result. */
  problems(): Problem[] {
    return [...this.#files].flatMap(([file, record]) => {
      const message = record.hasFailed ? undefined : complaint(record, this.#sites.get(file) ?? []);
      return message === undefined ? [] : [{ file, message }];
    });
  }
}

function newRecord(): FileRecord {
  return { tests: new Map(), lines: new Set(), isSummed: false, hasFailed: false };
}

function complaint({ tests, lines, isSummed }: FileRecord, sites: readonly Site[]): string | undefined {
  if (sites.length === 0) return 'it contains no test';
  const all = [...tests.values()];
  const begun = all.filter(({ isSuite, isReported }) => !isSuite && !isReported);
  const known = new Set([...lines, ...begun.map(({ line }) => line)]);
  const lost = [
    ...begun.map(({ line, name }) => `line ${line}, "${name}"`),
    ...sites.filter(({ line }) => !known.has(line)).map(({ line, title }) => `line ${line}, ${title}`),
  ];
  const list = lost.length > 0 ? `; without a result: ${lost.join('; ')}` : '';
  if (!isSummed) return `its process ended before its tests were done${list}`;
  if (lost.length > 0) return `not all of its tests ran${list}`;
  const isEmpty = ([id, { isSuite, isSkipped }]: [number, TestRecord]) =>
    isSuite && !isSkipped && !all.some(({ parentId }) => parentId === id);
  const empty = [...tests].filter(isEmpty).map(([, { name }]) => `"${name}"`);
  return empty.length > 0 ? `it has a suite without a test: ${empty.join(', ')}` : undefined;
}
