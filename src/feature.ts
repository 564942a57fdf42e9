import type { Job } from './domain/jobs.ts';
import type { Reading } from './domain/metrics.ts';
import type { Authenticate } from './http/access.ts';
import type { FailureMembers } from './http/failure-members.ts';
import type { App } from './http/server.ts';
import type { Checks } from './http/service.ts';
import type { Formats } from './http/validation.ts';

/** What an open feature brings to the HTTP service. */
export interface OpenFeature {
  /** Adds its routes; each states who may call it. */
  readonly routes?: (app: App) => void;
  /** String formats that its schemas name. */
  readonly formats?: Formats;
  /** Members of failures that only this room has. */
  readonly failures?: FailureMembers;
  /** Headers of its answers that pages of other origins may read. */
  readonly exposedHeaders?: readonly string[];
  readonly jobs?: readonly Job[];
  /** What /readyz also reports. `DETAILS` (document.ts) has the schemas. */
  readonly checks?: Checks;
  /** Figures for the metrics that are in memory. */
  readonly readings?: () => readonly Reading[];
  /** Figures for the metrics that the database has to be asked for. */
  readonly measure?: () => Promise<readonly Reading[]>;
  /** Only the feature that knows access tokens has this. */
  readonly authenticate?: Authenticate;
}
