import type { OpenFeature } from '../feature.ts';
import type { Access } from '../http/declaration.ts';
import type { OnceRequests } from '../services/idempotency/requests.ts';
import type { LocalLimits } from '../services/limits/local.ts';
import type { Rendering } from '../services/rendering/rendering.ts';
import type { Store } from '../store/store.ts';
import { contentFailures, contentFormats } from './formats-contract.ts';
import { deltaReadings } from './past.ts';
import { contentRoutes } from './routes.ts';
import type { StoredBytes } from './stored.ts';
import { contentWriteRoutes } from './write-routes.ts';

interface Context {
  readonly config: {
    readonly contentRead: 'public' | 'members';
    readonly trashDays: number;
  };
  readonly store: Store;
  readonly limits: LocalLimits;
  readonly rendering: Rendering | undefined;
  readonly stored: StoredBytes;
  readonly onceRequests: OnceRequests;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export async function openContent(context: Context): Promise<OpenFeature> {
  const { config } = context;
  const readAccess: Access = config.contentRead === 'public' ? 'public' : 'signed_in';
  return {
    formats: contentFormats,
    failures: contentFailures,
    routes: (app) => {
      contentRoutes(app, { ...context, readAccess });
      contentWriteRoutes(app, context);
    },
    readings: () => [...(context.rendering?.readings ?? []), ...deltaReadings(context.store)],
  };
}
