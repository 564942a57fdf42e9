import type { SchemaObject } from '../store/migration.ts';
import objects from './objects.postgres.json' with { type: 'json' };

const KINDS = ['column', 'constraint', 'function', 'index', 'trigger', 'view'] as const;

/**
 * The parts of the schema of a fresh database on PostgreSQL. A test writes the file from the steps
 * (test/store/schema.test.ts): the doctor of a running service must not make a schema only to look at it.
 */
export const POSTGRES_OBJECTS: readonly SchemaObject[] = KINDS.flatMap((kind) =>
  Object.entries(objects[kind]).map(([name, definition]) => ({ kind, name, definition })),
);
