import type { FastifySchemaValidationError } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  atLeastOne,
  ContentChange,
  ContentInput,
  MOST_BODY,
  MOST_PARTS,
  normaliseTags,
} from '../content/body-contract.ts';
import { contentFormats } from '../content/formats-contract.ts';
import { Failure, invalid } from '../domain/failure.ts';
import { validationFailure } from '../http/validation.ts';

/** Operations in one request. */
const MOST = 100;

const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The item.' });
const version = Type.Optional(
  Type.Integer({
    minimum: 1,
    description:
      'The version that the item must be at, as If-Match says it of one item; without it any will do.',
  }),
);
const closed = { additionalProperties: false };

/** The operations by their action. Each has its members only. */
const OPERATIONS = {
  create: Type.Object(
    { action: Type.Literal('create'), item: Type.Object(ContentInput.properties, closed) },
    closed,
  ),
  update: Type.Object(
    {
      action: Type.Literal('update'),
      id,
      version,
      change: Type.Object(ContentChange.properties, { ...closed, ...atLeastOne }),
    },
    closed,
  ),
  delete: Type.Object({ action: Type.Literal('delete'), id, version }, closed),
};
const ACTIONS = Object.keys(OPERATIONS);

export const Bulk = Type.Object(
  {
    operations: Type.Array(Type.Union([OPERATIONS.create, OPERATIONS.update, OPERATIONS.delete]), {
      minItems: 1,
      maxItems: MOST,
      description: 'They are made in this order.',
    }),
  },
  {
    $id: 'ContentBulk',
    description: `At most ${MOST} operations: all of them are made, or none. As JSON they have at most 4 MiB and 128 KiB, and 10,000 brackets and commas. The items that are changed or deleted have at most 4 MiB together, and all operations are writes of the hour together; more than either allows is 400 \`limit_reached\`.`,
    examples: [{ operations: [{ action: 'create', item: { title: 'Hello', content: 'The first item.' } }] }],
  },
);
export type BulkOperation = Static<typeof Bulk>['operations'][number];

export const BulkDone = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        action: Type.Enum(ACTIONS, { type: 'string' }),
        id: Type.Integer({ minimum: 1 }),
        version: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'The version that the item is at now; absent where it was deleted.',
          }),
        ),
      }),
      { description: 'One for each operation, in the same order.' },
    ),
  },
  { $id: 'ContentBulkDone', description: 'What the operations made.' },
);

/** Options of the route. A hundred operations with items without `meta` have less than half of the parts. */
export const takesBulk = {
  bodyLimit: 2 * MOST_BODY,
  bodyParts: MOST_PARTS,
};

/**
 * Trims the tags of each operation, as those of a single item are trimmed. Drops the operations after the first that is
 * too many: the schema refuses the list, and would look at each of them first (5,000 have 50,000 findings).
 */
export function normaliseOperations(body: unknown): void {
  const { operations } = Object(body);
  if (!Array.isArray(operations)) return;
  operations.splice(MOST + 1);
  for (const operation of operations) {
    const { item, change } = Object(operation);
    normaliseTags(item);
    normaliseTags(change);
  }
}

const PLACE = /^\/operations\/(\d+)/;
/** Findings about one operation that are read. A body may have ten thousand, and an answer names few of them. */
const MOST_FINDINGS = 1_000;
const ALTERNATIVE = /^.*?\/items\/anyOf\/(\d+)(?=\/)/;

/**
 * What is wrong with the first operation that breaks the schema, as the route of one item would say it, with the index
 * of the operation; or what is wrong with the rest of the body.
 */
export function bulkMistake(errors: readonly FastifySchemaValidationError[], body: unknown): Failure {
  const outside = errors.filter(({ instancePath }) => !instancePath.startsWith('/operations/'));
  if (outside.length > 0) return validationFailure(outside, 'body', contentFormats);
  // Ajv looks at the operations in their order.
  const [, index] = PLACE.exec(errors[0]?.instancePath ?? '') ?? [];
  const { action } = Object(Object(body).operations[Number(index)]);
  const alternative = ACTIONS.indexOf(action);
  const own = errors
    .values()
    .filter(({ schemaPath }) => schemaPath.includes(`/items/anyOf/${alternative}/`))
    .filter(({ instancePath }) => PLACE.exec(instancePath)?.[1] === index)
    .take(MOST_FINDINGS)
    .map(withoutPlace)
    .toArray();
  const failure = alternative < 0 ? noAction() : validationFailure(own, 'body', contentFormats);
  return new Failure({ ...failure.data, more: { index: Number(index) } });
}

function noAction(): Failure {
  const message = `action must be one of ${ACTIONS.join(', ')}.`;
  return invalid([{ field: 'action', rule: 'enum', message }]);
}

/** The finding as that of a body which has only the operation, or only its item or change. */
function withoutPlace(error: FastifySchemaValidationError): FastifySchemaValidationError {
  const instancePath = error.instancePath.replace(PLACE, '').replace(/^\/(?:item|change)(?=\/|$)/, '');
  return { ...error, instancePath, schemaPath: error.schemaPath.replace(ALTERNATIVE, '#') };
}
