import { Type } from 'typebox';
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

/** The state of the service and where its reference is. `publicUrl` is its address, where that is set. `isReady` rejects with `unavailable` while the service cannot do its work. */
export function serviceRoutes(app: App, publicUrl: string | undefined, isReady: () => Promise<void>): void {
  const config = { access: 'public' } as const;
  const base = publicUrl ?? '';
  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'getIndex',
        tags: ['service'],
        summary: 'Where is the reference?',
        description: 'For whoever opens the address of the service.',
        response: answersAlways(Index, 'Where to read on.'),
      },
    },
    async () => ok({ name: 'Stoa' as const, reference: `${base}/docs`, openapi: `${base}/openapi.json` }),
  );
  app.get(
    '/livez',
    {
      config,
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
      config,
      schema: {
        operationId: 'getReadiness',
        tags: ['service'],
        summary: 'Can it answer requests now?',
        description:
          'Asks the database. The answer is 503 also while writes fail for lack of room, with `storage_full` in `details`.',
        response: answers(Health, 'It can.'),
      },
    },
    async () => {
      await isReady();
      return ok({ status: 'ok' as const });
    },
  );
}
