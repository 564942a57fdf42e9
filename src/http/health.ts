import { Type } from 'typebox';
import { answers, ok } from './envelope.ts';
import type { App } from './server.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

/** `isReady` rejects with `unavailable` while the service cannot do its work. */
export function healthRoutes(app: App, isReady: () => Promise<void>): void {
  const contract = (summary: string, ...failures: number[]) => ({
    config: { access: 'public' as const },
    schema: { tags: ['service'], summary, response: answers(Health, 'It is.', ...failures) },
  });
  app.get('/livez', contract('Is the process alive?'), async () => ok({ status: 'ok' as const }));
  app.get('/readyz', contract('Can it answer requests now?'), async () => {
    await isReady();
    return ok({ status: 'ok' as const });
  });
}
