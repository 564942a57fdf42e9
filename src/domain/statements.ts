import { monotonic } from './time.ts';

/** The most statements of one operation that are noted one by one. The others are counted. */
const NOTED = 32;

/** A statement that was run. It has no values, and its times are of `monotonic`. */
export interface RanStatement {
  readonly sql: string;
  readonly began: number;
  readonly ended: number;
  /** The code of its error, if it failed. */
  readonly error?: string | undefined;
}

/** Notes as plain data, which can cross threads and processes. */
export interface StatementData {
  readonly noted: readonly RanStatement[];
  readonly others: number;
}

/** For what another thread or process has sent. */
export function isStatementData(value: unknown): value is StatementData {
  if (typeof value !== 'object' || value === null) return false;
  return 'noted' in value && Array.isArray(value.noted) && 'others' in value;
}

/** What an operation that is traced has run: its first statements, and how many others there were. */
export class StatementNotes {
  readonly #noted: RanStatement[] = [];
  #others = 0;

  add(statement: RanStatement): void {
    if (this.#noted.length < NOTED) this.#noted.push(statement);
    else this.#others++;
  }

  /** Adds what ran in another thread or process. */
  addAll({ noted, others }: StatementData): void {
    for (const each of noted) this.add(each);
    this.#others += others;
  }

  get data(): StatementData {
    return { noted: this.#noted, others: this.#others };
  }

  /** Runs a statement and notes it. */
  async noting<Result>(sql: string, run: () => Promise<Result>): Promise<Result> {
    const began = monotonic();
    try {
      const result = await run();
      this.add({ sql, began, ended: monotonic() });
      return result;
    } catch (error) {
      this.add({ sql, began, ended: monotonic(), error: codeOf(error) });
      throw error;
    }
  }
}

/** The code that the engine gave the error. Its message may have values. `_OTHER` is what OpenTelemetry says for none. */
function codeOf(error: unknown): string {
  const own = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(own instanceof Error)) return '_OTHER';
  if ('errcode' in own && typeof own.errcode === 'number') return String(own.errcode);
  return 'code' in own && typeof own.code === 'string' ? own.code : '_OTHER';
}
