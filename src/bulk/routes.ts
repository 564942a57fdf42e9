import type { FastifyRequest } from 'fastify';
import type { ContentWrites } from '../content/writes.ts';
import { callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { IdempotencyKey, idempotencyKeyOf, ONCE_FAILURES } from '../http/idempotency-key.ts';
import type { App } from '../http/server.ts';
import { inWriteTurn } from '../http/write-turns.ts';
import type { OnceKey } from '../services/idempotency/once.ts';
import { type BulkResult, bulkContent } from './bulk.ts';
import { Bulk, BulkDone, bulkMistake, normaliseOperations, takesBulk } from './contract.ts';
import { countBulk, stepsOf } from './steps.ts';

/** Many changes of content in one request. */
export function bulkRoutes(app: App, parts: ContentWrites): void {
  const { config, store, stored, onceRequests, clock } = parts;
  const isForGood = config.trashDays === 0;

  app.post(
    '/api/content/bulk',
    {
      bodyLimit: takesBulk.bodyLimit,
      config: {
        access: 'signed_in',
        limits: ['writes', 'writtenMebibytes', 'storedMebibytes'],
        shows: 'visible',
        programs: 'write',
        bodyParts: takesBulk.bodyParts,
      },
      // `refuseMistakes` answers instead.
      attachValidation: true,
      preValidation: async ({ body }) => normaliseOperations(body),
      preHandler: async (request) => refuseMistakes(request),
      schema: {
        operationId: 'changeManyContent',
        tags: ['content'],
        summary: 'Create, change and delete many content items',
        description:
          'Makes all operations, or none. Each follows the rules of its own route, and fails as it does there, with its `index`.',
        headers: IdempotencyKey,
        body: Bulk,
        response: answers(
          BulkDone,
          'One result for each operation.',
          ...[401, 403, 404, 412, ...ONCE_FAILURES, ...BODY_FAILURES],
        ),
      },
    },
    async (request) => {
      const { operations } = request.body;
      const caller = callerOf(request);
      const make = async (key?: OnceKey) => {
        const counted = await countBulk(parts, caller, operations);
        let isMade = false;
        try {
          const steps = await stepsOf(parts, caller, operations);
          const done = await store.write(bulkContent, { steps, key, isForGood, caller, now: clock() });
          isMade = done.isNew;
          for (const { userId, bytes } of done.added) stored.add(userId, bytes);
          return done.answer;
        } finally {
          if (!isMade) stored.add(caller.userId, -counted);
        }
      };
      const inTurn = (key?: OnceKey) => inWriteTurn(request, () => make(key));
      const named = await idempotencyKeyOf(request);
      const answer = named
        ? await onceRequests.run({ ...named, userId: caller.userId }, { make: inTurn, again: (kept) => kept })
        : await inTurn();
      const results: BulkResult[] = JSON.parse(answer);
      return ok({
        results: results.map(([id, version], index) => ({
          action: operations[index]?.action ?? '',
          id,
          ...(version !== undefined && { version }),
        })),
      });
    },
  );
}

function refuseMistakes({ validationError, body }: FastifyRequest): void {
  if (!validationError) return;
  const { validation, validationContext } = validationError;
  throw validationContext === 'body' ? bulkMistake(validation, body) : validationError;
}
