import { Type } from 'typebox';
import { answers, answersAlways, ok } from './envelope.ts';
import type { App } from './server.ts';

const Health = Type.Object({ status: Type.Literal('ok') }, { $id: 'Health', description: 'All is well.' });

/** `isReady` rejects with `unavailable` while the service cannot do its work. */
export function healthRoutes(app: App, isReady: () => Promise<void>): void {
  const config = { access: 'public' } as const;
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
