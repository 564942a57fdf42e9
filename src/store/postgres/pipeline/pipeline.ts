import { type ClientBase, type Connection, type FieldDef, type Submittable, types } from 'pg';
import { isStale } from './connection.ts';

/** A statement for the server. With a name the server keeps it prepared and planned. */
export interface Statement {
  readonly text: string;
  readonly name?: string | undefined;
  readonly values: (string | null)[];
}

export interface Answer {
  readonly rows: readonly Record<string, unknown>[];
  /** The command tag of the server: "UPDATE 1". */
  readonly command: string;
}

export interface PipelineResult {
  /** The answers of the statements that were done, in their order. */
  readonly answers: readonly Answer[];
  /** Why the next statement failed. The server ran none of the later statements. */
  readonly error?: unknown;
}

/** Parses a value that the server sends as text. */
type Parse = (text: string) => unknown;

/**
 * How values of a type (its `oid`) are parsed. Integers of eight bytes become numbers: ids, times and counts stay far
 * below 2^53. All other types are parsed as `pg` does.
 */
export function parserOf(oid: number): Parse {
  return oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, 'text');
}

interface Column {
  readonly name: string;
  readonly parse: Parse;
}

/** The statements that the server has prepared on a connection: the columns of each result, by name. */
type Prepared = Map<string, readonly Column[]>;

const PREPARED = new WeakMap<ClientBase, Prepared>();

/** How long the answers may take, if the limit of the pool does not fit (pool.ts). */
export interface Patience {
  readonly milliseconds: number;
  /** Aborted when the server falls silent. The wait then ends at once. */
  readonly silence: AbortSignal;
}

/** Lends connections. A connection is returned with the error of the work, if it failed. */
export interface Lender {
  acquire(): Promise<ClientBase>;
  release(client: ClientBase, error?: unknown): void;
  /** Statements with which each transaction begins, where the connections keep no time limits. */
  readonly limits: readonly Statement[];
}

/** Sends statements to the server, over shared connections or over that of a transaction. */
export interface Runner {
  run(statement: Statement): Promise<Answer>;
}

/** A named statement without values, so that the server does not parse it each time. Names have 63 bytes at most. */
export function control(text: string, name = text): Statement {
  return { text, name, values: [] };
}

/** Runs one statement in a round trip of its own. */
export async function runAlone(client: ClientBase, statement: Statement): Promise<Answer> {
  const { answers, error } = await sendPipeline(client, [statement]);
  const [answer] = answers;
  if (error !== undefined || !answer) throw error;
  return answer;
}

/**
 * Sends statements to the server in one flush and reads all answers in one round trip (the extended protocol with one
 * Sync). Outside of a transaction block the statements are one transaction. It is committed if the result has no error,
 * and rolled back if it has one. After a lost connection, nobody can know. Never rejects.
 */
export function sendPipeline(
  client: ClientBase,
  statements: readonly Statement[],
  patience?: Patience,
): Promise<PipelineResult> {
  let prepared = PREPARED.get(client);
  if (!prepared) {
    prepared = new Map();
    PREPARED.set(client, prepared);
  }
  return client.query(new Pipeline(statements, prepared, patience)).result;
}

/**
 * A query of `pg`, made by the interface that its cursors and streams use. A normal query of `pg` sends one statement
 * in a round trip and asks for the columns every time, at several times the cost.
 */
class Pipeline implements Submittable {
  readonly result: Promise<PipelineResult>;
  /** Milliseconds. `pg` reads this member, and calls `callback` with an error when the time has passed. */
  readonly query_timeout: number | undefined;
  /** Called once, at the end. `pg` wraps this function for its time limit. */
  callback: (error?: unknown) => void;
  readonly #statements: readonly Statement[];
  readonly #prepared: Prepared;
  readonly #answers: Answer[] = [];
  #columns: readonly Column[] | undefined;
  #rows: Record<string, unknown>[] = [];

  constructor(statements: readonly Statement[], prepared: Prepared, patience?: Patience) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.query_timeout = patience?.milliseconds;
    const silence = patience?.silence;
    const giveUp = () => this.callback(new Error('Connection terminated: the server is silent'));
    const { promise, resolve } = Promise.withResolvers<PipelineResult>();
    this.result = promise;
    this.callback = (error) => {
      silence?.removeEventListener('abort', giveUp);
      resolve({ answers: this.#answers, ...(error ? { error } : {}) });
    };
    silence?.addEventListener('abort', giveUp);
  }

  submit(connection: Connection): void {
    const sent = new Set<string>();
    connection.stream.cork();
    for (const { text, name = '', values } of this.#statements) {
      if (!this.#prepared.has(name) && !sent.has(name)) {
        // A failed pipeline may have left the name on the server. Closing an unknown name is no error.
        if (name !== '') connection.close({ type: 'S', name }, true);
        connection.parse({ text, name, types: [] }, true);
        connection.describe({ type: 'S', name }, true);
        if (name !== '') sent.add(name);
      }
      connection.bind({ statement: name, values }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: readonly FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    this.#keepColumns(this.#columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#columns ??= this.#prepared.get(this.#current?.name ?? '') ?? [];
    const row: Record<string, unknown> = {};
    let index = 0;
    for (const { name, parse } of this.#columns) {
      const text = fields[index++] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#keepColumns(this.#columns ?? []);
    this.#answers.push({ rows: this.#rows, command: text });
    this.#rows = [];
    this.#columns = undefined;
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    if (isStale(error)) this.#prepared.clear();
    this.callback(error);
  }

  get #current(): Statement | undefined {
    return this.#statements[this.#answers.length];
  }

  /** The server has answered the statement, so it has prepared it. */
  #keepColumns(columns: readonly Column[]): void {
    const name = this.#current?.name;
    if (name !== undefined && !this.#prepared.has(name)) this.#prepared.set(name, columns);
  }
}
