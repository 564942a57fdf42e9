import { type Static, Type } from 'typebox';
import { PUBLIC_PAGE } from './declaration.ts';
import { answers, answersAlways, ok } from './envelope.ts';
import type { App } from './server.ts';

const Index = Type.Object(
  {
    name: Type.Literal('Stoa'),
    reference: Type.String({ description: 'The reference, for people.', examples: ['/docs'] }),
    openapi: Type.String({ description: 'The same for programs.', examples: ['/openapi.json'] }),
  },
  { $id: 'Index', description: 'Where to read on.' },
);

const Health = Type.Object({ status: Type.Literal('ok') }, { $id: 'Health', description: 'All is well.' });

/** Details of readiness by name. None of them makes the service unready. Each needs a look. */
const Details = Type.Object({
  outbox: Type.Optional(
    Type.Enum(['ok', 'accounts_only', 'full'], {
      type: 'string',
      description:
        'Room for mails that wait: "accounts_only" has none left for addresses that have no account, "full" none at all. Absent where the service sends no mail.',
    }),
  ),
  backups: Type.Optional(
    Type.Enum(['ok', 'failing', 'overdue'], {
      type: 'string',
      description:
        'Backups by themselves: "failing" after a failed one until the next works, "overdue" when the newest proved one is too old. Absent where BACKUP_EVERY is off.',
    }),
  ),
  bucket: Type.Optional(
    Type.Enum(['ok', 'failing'], {
      type: 'string',
      description:
        'Sending of proved backups: "failing" after a failed try until the next works, and where the newest backup has not arrived for more than twelve hours. Absent where BACKUP_S3_BUCKET is not set.',
    }),
  ),
  slugs: Type.Optional(
    Type.Enum(['ok', 'naming'], {
      type: 'string',
      description: '"naming" while content items of an older version of Stoa are still to get their slugs.',
    }),
  ),
});

const Readiness = Type.Object(
  { ...Health.properties, checks: Type.Optional(Details) },
  { $id: 'Readiness', description: 'The service can answer requests.' },
);

/** Reads each detail that the service has. */
export type Checks = { readonly [Name in keyof Static<typeof Details>]: () => Static<typeof Details>[Name] };

/**
 * The state of the service and where its reference is. `publicUrl` is the service's address, if set. `isReady` rejects
 * with `unavailable` while the service cannot do its work.
 */
export function serviceRoutes(
  app: App,
  publicUrl: string | undefined,
  isReady: () => Promise<void>,
  checks: Checks,
): void {
  const base = publicUrl ?? '';
  app.get(
    '/',
    {
      config: PUBLIC_PAGE,
      schema: {
        operationId: 'getIndex',
        tags: ['service'],
        summary: 'Where is the reference?',
        description: 'For a person who opens the address of the service.',
        response: answersAlways(Index, 'Where to read on.'),
      },
    },
    async () => ok({ name: 'Stoa' as const, reference: `${base}/docs`, openapi: `${base}/openapi.json` }),
  );
  app.get(
    '/livez',
    {
      config: PUBLIC_PAGE,
      schema: {
        operationId: 'getLiveness',
        tags: ['service'],
        summary: 'Is the process alive?',
        description: 'Answers whenever the process runs, also while its database is away.',
        response: answersAlways(Health, 'It is.'),
      },
    },
    async () => ok({ status: 'ok' as const }),
  );
  app.get(
    '/readyz',
    {
      config: PUBLIC_PAGE,
      schema: {
        operationId: 'getReadiness',
        tags: ['service'],
        summary: 'Can it answer requests now?',
        description:
          'Asks the database. The answer is 503 also while writes fail: for lack of room, with `storage_full` in `details`, or because the database takes none, with `storage_read_only`. `checks` has details that need a look but stop nothing.',
        response: answers(Readiness, 'It can.'),
      },
    },
    async () => {
      await isReady();
      const seen = Object.fromEntries(Object.entries(checks).map(([name, look]) => [name, look()]));
      return ok({ status: 'ok' as const, ...(Object.keys(seen).length > 0 && { checks: seen }) });
    },
  );
}
