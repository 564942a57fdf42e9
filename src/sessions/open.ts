import { lruOf } from '../services/lru.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import { AccessTokens } from './access-token.ts';
import { Authenticator } from './authenticator.ts';
import { Keyring } from './keyring.ts';
import { ensureSigningKey } from './keys.ts';
import type { OwnPages } from './own-page.ts';
import type { SessionParts } from './parts.ts';
import { PersonalTokenUses } from './personal-token-uses.ts';
import { RefreshTokens } from './refresh-token.ts';
import { findRestoredAt } from './restored-at.ts';
import { loadTokenSecret } from './secret.ts';

/** Ended sessions that are remembered; some 200 bytes each. */
const REMEMBERED = 20_000;

interface Settings extends OwnPages, Pick<SessionParts, 'store' | 'sessionLimit' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
}

export interface OpenSessions extends SessionParts {
  readonly keyring: Keyring;
  readonly uses: PersonalTokenUses;
  readonly authenticator: Authenticator;
  /** Of the refresh tokens. All instances have the same. */
  readonly secret: Buffer;
  /** When the database was restored from a backup; 0 if it was not. */
  readonly restoredAt: number;
}

/** What knows tokens and sessions in this process. Makes the signing key and the secret at the first start. */
export async function openSessions(settings: Settings): Promise<OpenSessions> {
  const { store, sealing, sessionLimit, limits, clock } = settings;
  await ensureSigningKey(store, sealing, clock());
  const secret = await loadTokenSecret(store, sealing);
  const keyring = await Keyring.open(store, sealing);
  const accessTokens = new AccessTokens(keyring, settings.publicUrl ?? 'stoa', clock);
  const uses = new PersonalTokenUses();
  const authenticator = new Authenticator(accessTokens, uses, store, clock);
  return {
    store,
    keyring,
    uses,
    secret,
    restoredAt: await store.read(findRestoredAt, undefined),
    accessTokens,
    authenticator,
    refreshTokens: new RefreshTokens(secret),
    endedSessions: lruOf<true>(REMEMBERED),
    ownPages: settings,
    sessionLimit,
    limits,
    clock,
  };
}
