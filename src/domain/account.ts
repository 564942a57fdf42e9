export const ROLES = ['member', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Nobody signs in to an account that is not active. One that is closed will be removed, disabled or not. */
export const ACCOUNT_STATES = ['active', 'disabled', 'closed'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

/** What a personal access token is good for: `read` what changes nothing, `write` all that programs may do (decisions 0051). */
export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who makes a request: the account behind a valid token, and the session of that token. */
export interface Caller {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly sessionId: string;
  /** Null where a person signed in, who may do whatever the role allows. */
  readonly scope: Scope | null;
  /** Does the account have a second factor? */
  readonly hasSecondFactor: boolean;
}

/** May this role change and delete what others wrote? (decisions 0008) */
export function moderatesContent(role: Role): boolean {
  return role === 'editor' || role === 'admin';
}
