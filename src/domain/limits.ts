import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

/**
 * Every limit on how often something happens, and on how many rows a person can leave. Admission is another mechanism:
 * it bounds what is under way at once in a process.
 */
export interface Rate {
  /** The most at once. What was spent returns evenly within `withinMs`. */
  readonly most: number;
  readonly withinMs: number;
  /** What it is counted by. */
  readonly by: string;
  /** The sentence for a request that finds none left. */
  readonly refusal: string;
}

function limit(most: number, withinMs: number, by: string, refusal: string): Rate {
  return { most, withinMs, by, refusal };
}

const WRONG_PASSWORDS = 'Too many wrong passwords were sent; try again later.';
const CODES = 'Too many codes were sent; try again later.';

/**
 * Counted in the database (services/limits/shared.ts): all instances share these counts, and a restart keeps them. The
 * keys of the table are hashes of these names, so a new name resets what the old one counted.
 */
export const SHARED_LIMITS = {
  // Wrong passwords. A device that signed in before is counted only by `pair`, any other by all three. An office with
  // one address makes fewer mistakes than `source` allows.
  pair: limit(10, 10 * MINUTE_MS, 'account and source', WRONG_PASSWORDS),
  source: limit(300, HOUR_MS, 'source', WRONG_PASSWORDS),
  strangers: limit(100, 100 * MINUTE_MS, 'account', WRONG_PASSWORDS),

  // Codes of a second factor, over all challenges. A right code is given back. The first code of an app is counted by
  // session, so that the thief of another session cannot use up the owner's.
  second_factor: limit(10, 10 * HOUR_MS, 'account, on new devices', CODES),
  second_factor_known: limit(10, 100 * MINUTE_MS, 'account and device', CODES),
  first_code: limit(10, 100 * MINUTE_MS, 'session', CODES),

  // Changes after a proof: a recent sign-in, a password or a passkey. Each of the first two makes all instances look
  // at the account again.
  password_change: limit(20, HOUR_MS, 'account', 'The password was changed too often; try again later.'),
  name_change: limit(
    5,
    30 * DAY_MS,
    'account',
    'Your user name was changed too often; try again in some days.',
  ),
  // The account chooses where the mails go. This limits its mails to strangers, and its links that last a day.
  email_change: limit(
    5,
    5 * HOUR_MS,
    'account',
    'Your account asked for too many addresses; try again later.',
  ),
  email_resend: limit(5, 5 * HOUR_MS, 'session', 'You asked for too many mails; try again later.'),
  // Each writes at most two events.
  factor_change: limit(
    30,
    HOUR_MS,
    'account',
    'Your account changed its second factors too often; try again later.',
  ),
  token_creation: limit(200, HOUR_MS, 'account', 'Your account made too many tokens; try again later.'),
  // Passkeys begun and added count together.
  passkey_addition: limit(200, HOUR_MS, 'account', 'Your account added too many passkeys; try again later.'),
  // Each writes a session and an event, and needs no hash of a password.
  passkey_sign_in: limit(500, HOUR_MS, 'account', 'Your account signed in too often; try again later.'),
  // Each reads everything that the account has.
  export: limit(10, HOUR_MS, 'account', 'Your account was exported too often; try again later.'),
  // Each reads the whole database, in a process with low priority.
  backup_requests: limit(20, HOUR_MS, 'account', 'Your account asked for too many backups; try again later.'),
  // Each goes over all hidden items, so this counts those of all editors and instances together.
  label_renames: limit(
    200,
    HOUR_MS,
    'all accounts together',
    'Too many labels were renamed; try again later.',
  ),

  // A link for a password that an admin demands is counted by admin and account instead.
  mail: limit(
    5,
    HOUR_MS,
    'kind of mail and recipient',
    'Too many mails were sent to this address; try again later.',
  ),
  // To unproved addresses. The limit is by source, because one mailbox has many spellings (`ada+1@`).
  mail_source: limit(100, HOUR_MS, 'source', 'Too many mails were asked for from here; try again later.'),
  // The limit per source is below the limit per address (`mail`), so one source cannot use it up. The answer must not
  // reveal who has the address. So a registration beyond the limit gets the usual answer, and no mail is sent.
  registration: limit(3, 3 * HOUR_MS, 'address and source', ''),
} as const;

/** Settings of the operator, which the list below names. 0 is no bound. */
export type LimitSettings = Readonly<
  Record<
    'registrationsPerHour' | 'refusedRefreshesPerHour' | 'writesPerHour' | 'writtenMebibytesPerHour',
    number
  >
>;

function hourly(most: number | keyof LimitSettings, by: string, refusal: string) {
  return { most, withinMs: HOUR_MS, by, refusal };
}

/**
 * Counted in the memory of each instance (services/limits/local.ts). These bound what requests cost. A count in the
 * database would be a write for each request, which costs as much as most of what it would prevent.
 */
export const LOCAL_LIMITS = {
  registrations: hourly(
    'registrationsPerHour',
    'source',
    'Too many accounts were registered; try again later.',
  ),
  // A good refresh token is never counted.
  refusedRefreshes: hourly(
    'refusedRefreshesPerHour',
    'source',
    'Too many refresh tokens were refused; try again later, or log in.',
  ),
  // Each costs the check of a signature. A successful sign-in gives back what it took.
  refusedPasskeys: hourly(1_000, 'source', 'Too many passkeys were refused; try again later.'),
  // Requests for a mail, and uses of its link. Enough for an office that forgets its passwords, too few to fill
  // mailboxes.
  passwordResets: hourly(100, 'source', 'Too many new passwords were asked for; try again later.'),
  // Links about addresses: requests and uses. Nobody guesses 256 bits, so this only bounds the writes.
  mailedLinks: hourly(1_000, 'source', 'Too many links were asked for or tried; try again later.'),
  // Names of sessions, tokens and passkeys.
  nameChanges: hourly(200, 'account', 'Your account changed too many names; try again later.'),
  // An app may save its profile each minute.
  profileChanges: hourly(200, 'account', 'Your account was changed too often; try again later.'),
  // Tests and repeated deliveries of webhooks. Each is a row and a request to another service.
  webhookSends: hourly(200, 'account', 'Your account sent too many webhooks again; try again later.'),
  // Also what is refused. What begins is counted by `label_renames` too.
  labelRenames: hourly(60, 'account', 'Your account renamed too many labels; try again later.'),
  // Writes of content. Each counts as at least one KiB of text.
  writes: hourly('writesPerHour', 'account', 'Your account wrote too often within an hour; try again later.'),
  writtenMebibytes: hourly(
    'writtenMebibytesPerHour',
    'account',
    'Your account wrote too much text within an hour; try again later.',
  ),
} as const;

/** How many rows there may be at once. Each is checked by the write that would add one. */
export const ROW_LIMITS = {
  /**
   * Most mails that may wait before another one to such an address is dropped: in all, and from one source. So many
   * wait only while a mail server is away or defers. The last places in all are reserved for accounts, and those of a
   * source for notices to owners, so that nobody can fill them with addresses of their own choice.
   */
  mails: {
    named: { inAll: 5_000, ofSource: 500 },
    unproved: { inAll: 7_500, ofSource: 500 },
    proved: { inAll: 10_000, ofSource: 2_000 },
  },
  /** Registrations that wait for the proof of their address. */
  pendingRegistrations: { inAll: 100_000, ofSource: 1_000 },
  /** That wait. */
  invitations: { inAll: 5_000, ofAdmin: 500 },
  /** To make the first admin: one for each instance that started lately. */
  setupLinks: 8,
  /** Of an account. The number of its sessions is a setting, SESSION_LIMIT. */
  personalTokens: 50,
  passkeys: 20,
  /** Of an account, within 24 hours. */
  idempotencyKeys: 1_000,
  /** Of an account, that were not used. Each lives for 30 seconds. */
  eventTickets: 20,
  /** Items of an account that wait for their time to be published, and as many drafts beside published ones. */
  scheduledDrafts: 1_000,
  /** In all. */
  webhooks: 20,
  knownDevices: 20,
  /**
   * Waiting sign-ins of one account that need their second factor, from one known device or from all others together.
   */
  challenges: 5,
  /**
   * Events of an hour that have a row each. One more row counts the rest. `singly` limits those of one kind, account
   * and source, `inAll` those of one kind.
   */
  failedSignIns: { singly: 20, inAll: 1_000 },
  /** The same for one account: what its owner can do without end. */
  ownDoings: { singly: 20, inAll: 100 },
} as const;

/** A limit that a route can name. The last is the setting STORED_MB, which limits a sum and not a rate. */
export type LimitName = keyof typeof SHARED_LIMITS | keyof typeof LOCAL_LIMITS | 'storedMebibytes';

/** The metrics call these otherwise, because `nameChanges` and `labelRenames` are other limits. */
const LABELS: Readonly<Record<string, string>> = {
  name_change: 'username_change',
  label_renames: 'label_renames_of_all',
} satisfies Partial<Record<LimitName, string>>;

/** The name of a limit in the metrics. */
export function labelOf(limit: string): string {
  return LABELS[limit] ?? limit;
}
