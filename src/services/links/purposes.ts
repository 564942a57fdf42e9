import type { Role } from '../../domain/account.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time.ts';
import type { TemplateName } from '../mail/templates.ts';

interface Properties {
  /** The prefix of its tokens, so that scanners recognise a leaked one. */
  readonly prefix: string;
  readonly lifeMs: number;
  readonly template: TemplateName;
  /**
   * True if the link ends early, with all sessions of its account, so that a thief's link ends with the thief's
   * sessions.
   */
  readonly endsEarly: boolean;
}

/** The one list of mailed links. */
export const PURPOSES = {
  /** Gives the account a new password, and proves its address. */
  reset_password: { prefix: 'stoa_pr_', lifeMs: 30 * MINUTE_MS, template: 'password_reset', endsEarly: true },
  /** Proves the address that the account has. */
  verify_email: { prefix: 'stoa_el_', lifeMs: DAY_MS, template: 'email_verification', endsEarly: true },
  /** Gives the account the address that the link was mailed to. */
  change_email: { prefix: 'stoa_el_', lifeMs: DAY_MS, template: 'email_change', endsEarly: true },
  /** The undo link of a change: gives the account its previous address back. A thief must not be able to end it. */
  revert_email: { prefix: 'stoa_el_', lifeMs: 7 * DAY_MS, template: 'email_changed', endsEarly: false },
  /** Makes the account of a registration that waits until its address is proved. */
  register: { prefix: 'stoa_el_', lifeMs: DAY_MS, template: 'registration', endsEarly: false },
  /** Lets the owner of the address register, with a role. Its `user_id` is the admin who invited. */
  invite: { prefix: 'stoa_in_', lifeMs: 7 * DAY_MS, template: 'invitation', endsEarly: false },
} as const satisfies Record<string, Properties>;

export type Purpose = keyof typeof PURPOSES;

const ALL = Object.keys(PURPOSES) as Purpose[];
export const endingEarly = ALL.filter((purpose) => PURPOSES[purpose].endsEarly);

/** What a link stores for the write that uses it, in addition to its account and address. Rooms extend this. */
export interface Carries {
  readonly invite: { readonly role: Role; readonly created_at: number };
}

/**
 * A `reset_password` link that an operator hands over. It is stored like the others, and the prefix of its token
 * identifies it. It proves no address, because no mail had it.
 */
export const OPERATOR_LINK = { prefix: 'stoa_po_', lifeMs: DAY_MS } as const;
