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

/**
 * The schemas of details of readiness, by name. Each room merges its own into this interface. None of them makes the
 * service unready. Each needs a look.
 */
// biome-ignore lint/suspicious/noEmptyInterface: what every route shares knows no room.
export interface Details {}

/** Reads each detail that the service has. */
export type Checks = { readonly [Name in keyof Details]?: () => Static<Details[Name]> | undefined };

function ReadinessWith(details: Details) {
  const checks = Type.Partial(Type.Object({ ...details }));
  return Type.Object(
    { ...Health.properties, checks: Type.Optional(checks) },
    { $id: 'Readiness', description: 'The service can answer requests.' },
  );
}

/**
 * The state of the service and where its reference is. `publicUrl` is the service's address, if set. `isReady` rejects
 * with `unavailable` while the service cannot do its work.
 */
export function serviceRoutes(
  app: App,
  publicUrl: string | undefined,
  isReady: () => Promise<void>,
  details: Details,
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
        response: answers(ReadinessWith(details), 'It can.'),
      },
    },
    async () => {
      await isReady();
      const seen = Object.fromEntries(Object.entries(checks).map(([name, look]) => [name, look()]));
      return ok({ status: 'ok' as const, ...(Object.keys(seen).length > 0 && { checks: seen }) });
    },
  );
}
