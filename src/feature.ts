import type { Job } from './domain/jobs.ts';
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
  readonly jobs?: readonly Job[];
  /** What /readyz also reports, such as the outbox. */
  readonly checks?: Checks;
  /** Only the feature that knows access tokens has this. */
  readonly authenticate?: Authenticate;
}
