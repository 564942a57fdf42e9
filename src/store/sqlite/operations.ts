import type { Operation } from '../operation.ts';

/** What a thread of the store needs. `operationsUrl` names the module whose `OPERATIONS` lists all operations. */
export interface ThreadData {
  readonly file: string;
  readonly operationsUrl: string;
  /** How many times as long as usual a long read may take, and a write; 1 unless told. */
  readonly patience?: number | undefined;
}

/** One run of an operation, by its name. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
  /** True if the caller wants to know the statements (noted-calls.ts). */
  readonly isNoted?: true;
}

type AnyOperation = Operation<'read' | 'write', unknown, unknown>;
export type Operations = ReadonlyMap<string, AnyOperation>;

/** Loads every operation by name. Fails if two have the same name. */
export async function loadOperations(operationsUrl: string): Promise<Operations> {
  const { OPERATIONS } = (await import(operationsUrl)) as { OPERATIONS: readonly AnyOperation[] };
  const byName = new Map(OPERATIONS.map((operation) => [operation.name, operation]));
  if (byName.size !== OPERATIONS.length) throw new Error('Two operations share a name.');
  return byName;
}

export function operationNamed(operations: Operations, name: string): AnyOperation {
  const operation = operations.get(name);
  if (!operation) throw new Error(`The operation "${name}" is missing from the list of operations.`);
  return operation;
}
