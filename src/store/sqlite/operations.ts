import type { Operation } from '../operation.ts';

export type AnyOperation = Operation<'read' | 'write', unknown, unknown>;
export type Operations = ReadonlyMap<string, AnyOperation>;

/** Loads every operation by name. Fails when two have the same name, because a call could not tell them apart. */
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
