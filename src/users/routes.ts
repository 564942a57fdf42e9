import type { Access } from '../http/access.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { listUsersRoute } from './list.route.ts';
import { meRoute } from './me.route.ts';

export function userRoutes(app: App, parts: { store: Store; listAccess: Access }): void {
  listUsersRoute(app, parts);
  meRoute(app, parts);
}
