import assert from 'node:assert/strict';
import { newSetupLink } from '../../src/setup/link.ts';
import { type Account, call, newAccount, newName, PASSWORD } from './client.ts';
import { declaredRoutes } from './declared.ts';
import { goodRequest, NOW, OF_THE_FIRST_START, USES_UP } from './good-request.ts';
import { newWithRole } from './people.ts';
import type { RunningService } from './service.ts';

/**
 * Sends each route of the document a request that is answered with 200. The service has no admin before. Returns the admin
 * who sent most of them.
 */
export async function askEveryRoute(
  service: RunningService,
  settings: Record<string, string>,
): Promise<Account> {
  await setUp(service);
  const admin = await newWithRole(service, 'admin');
  for (const route of await declaredRoutes(settings)) {
    if (route.operationId === OF_THE_FIRST_START) continue;
    const owner = USES_UP.has(route.operationId) ? await newAccount(service.url) : admin;
    const token = route.access === 'other_token' ? owner.refreshToken : owner.token;
    const { path, body } = await goodRequest(service, route, owner);
    const answer = await call(service.url, route.method, path, {
      ...(route.access !== 'public' && { token }),
      ...(body && { body }),
    });
    assert.equal(answer.status, 200, `${route.operationId}: ${JSON.stringify(answer.body)}`);
  }
  return admin;
}

async function setUp({ url, store }: RunningService): Promise<void> {
  const link = await newSetupLink(store, url, NOW);
  const [token, username] = [link?.split('#setup=')[1], newName()];
  const body = { token, username, email: `${username}@example.org`, password: PASSWORD };
  const answer = await call(url, 'POST', '/api/setup', { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
