import type { SchemaObject } from '../store/migration.ts';
import objects from './objects.postgres.json' with { type: 'json' };

/**
 * The indexes and constraints of a fresh database on PostgreSQL. A test writes the file from the steps
 * (test/store/schema.test.ts): the doctor of a running service must not make a schema only to look at it.
 */
export const POSTGRES_OBJECTS: readonly SchemaObject[] = Object.entries(objects).flatMap(([kind, named]) =>
  Object.entries(named).map(([name, definition]) => ({
    kind: kind === 'index' ? 'index' : 'constraint',
    name,
    definition,
  })),
);
