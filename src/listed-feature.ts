import type { OpenFeature } from './feature.ts';
import type { App } from './http/server.ts';
import type { Parts } from './parts.ts';
import type { PersonalData } from './services/personal-data.ts';
import type { FeatureTables } from './store/tables.ts';
import type { Backlog } from './transfer/backlog.ts';

/** One part of what Stoa is made of. */
export interface Feature {
  readonly name: string;
  readonly tables?: FeatureTables;
  /** Operations for the threads of the store. This module loads neither HTTP nor a token library. */
  readonly operations?: readonly { readonly name: string }[];
  /** Work that a move does after it has copied the tables. */
  readonly backlogs?: readonly Backlog[];
  /** The rows that the feature has about accounts. */
  readonly personalData?: PersonalData;
  /** Makes the feature's part of the HTTP service. */
  readonly open?: Open;
}

type Open = (parts: Parts) => Promise<OpenFeature>;

/** Opens a room that brings routes only. */
export function routesOf(load: () => Promise<(app: App, parts: Parts) => void>): Open {
  return async (parts) => {
    const addTo = await load();
    return { routes: (app) => addTo(app, parts) };
  };
}

/** Loads a feature only where it is set up. */
export function where(setting: 'console' | 'mail', open: Open): Open {
  return async (parts) => (parts.config[setting] ? open(parts) : {});
}
