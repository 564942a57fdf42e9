import assert from 'node:assert/strict';
import { type Account, call, newAccount } from './client.ts';
import { declaredRoutes } from './declared.ts';
import { goodRequest, USES_UP } from './good-request.ts';
import { newWithRole } from './people.ts';
import type { RunningService } from './service.ts';

/** Sends each route of the document a request that is answered with 200. Returns the admin who sent most of them. */
export async function askEveryRoute(
  service: RunningService,
  settings: Record<string, string>,
): Promise<Account> {
  const admin = await newWithRole(service, 'admin');
  for (const route of await declaredRoutes(settings)) {
    const owner = USES_UP.has(route.operationId) ? await newAccount(service.url) : admin;
    const token = route.access === 'refresh_token' ? owner.refreshToken : owner.token;
    const { path, body } = await goodRequest(service, route, owner);
    const answer = await call(service.url, route.method, path, {
      ...(route.access !== 'public' && { token }),
      ...(body && { body }),
    });
    assert.equal(answer.status, 200, `${route.operationId}: ${JSON.stringify(answer.body)}`);
  }
  return admin;
}
