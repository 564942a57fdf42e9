/** Each has the rights of those before it. */
export const ROLES = ['member', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Only an active account can sign in. A closed one will be removed, whether it is disabled or not. */
export const ACCOUNT_STATES = ['active', 'disabled', 'closed'] as const;
export type AccountState = (typeof ACCOUNT_STATES)[number];

/**
 * What a personal access token may do: `read` changes nothing, `write` does all that programs may do
 * (docs/decisions/sessions.md).
 */
export const SCOPES = ['read', 'write'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who makes a request: the account behind a valid token, and the session of that token. */
export interface Caller {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly sessionId: string;
  /** Null for the session of a person, who may do whatever the role allows. */
  readonly scope: Scope | null;
  readonly hasSecondFactor: boolean;
}

/** The roles that may change and delete what others wrote (docs/decisions/content.md). */
export const MODERATORS: readonly Role[] = ['editor', 'admin'];

export function moderatesContent(role: Role): boolean {
  return MODERATORS.includes(role);
}

/** What becomes of the content of an account that is removed. */
export const CLOSING_CONTENT = ['keep', 'delete'] as const;
export type ClosingContent = (typeof CLOSING_CONTENT)[number];

export type RegistrationMode = 'open' | 'invite' | 'closed';
