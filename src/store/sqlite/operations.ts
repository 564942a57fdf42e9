import type { Operation } from '../operation.ts';

export type AnyOperation = Operation<'read' | 'write', unknown, unknown>;
export type Operations = ReadonlyMap<string, AnyOperation>;

/** A call as it crosses threads: the operation goes by its name. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What a thread is started with. `operationsUrl` names the module whose `OPERATIONS` lists them all. */
export interface ThreadData {
  readonly file: string;
  readonly operationsUrl: string;
}

/** Loads every operation by name. Fails when two share one, because a call could not tell them apart. */
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
