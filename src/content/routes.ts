import type { Access } from '../http/access.ts';
import type { App } from '../http/server.ts';
import type { Store } from '../store/store.ts';
import { createContentRoute } from './create.route.ts';
import { deleteContentRoute } from './delete.route.ts';
import { findContentRoute } from './find.route.ts';
import { listContentRoute } from './list.route.ts';
import { updateContentRoute } from './update.route.ts';

export interface ContentParts {
  readonly store: Store;
  /** Who may read: everybody or signed-in accounts. */
  readonly readAccess: Access;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function contentRoutes(app: App, parts: ContentParts): void {
  createContentRoute(app, parts);
  updateContentRoute(app, parts);
  deleteContentRoute(app, parts);
  findContentRoute(app, parts);
  listContentRoute(app, parts);
}
