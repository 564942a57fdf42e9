export const ROLES = ['member', 'editor', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Who makes a request: the account behind a valid access token, and the session of that token. */
export interface Caller {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly sessionId: string;
}

/** May this role change and delete what others wrote? (decisions 0008) */
export function moderatesContent(role: Role): boolean {
  return role === 'editor' || role === 'admin';
}
