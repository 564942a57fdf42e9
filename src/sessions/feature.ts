import { readingsOf } from '../domain/metrics.ts';
import { MINUTE_MS } from '../domain/time.ts';
import type { OpenFeature } from '../feature.ts';
import { countSessions } from './count.ts';
import { nameFormats } from './name-contract.ts';
import type { OpenSessions } from './open.ts';
import { refreshRoute } from './refresh.route.ts';
import { sessionRoutes } from './routes.ts';
import { removeOldSigningKeys } from './signing-keys.ts';

/** A key that any instance adds or removes is known here within a second. */
const RELOAD_MS = 900;

/** Sessions and their tokens: refresh, sign-out, the list of one's own, and the public keys. */
export function openSessionRoutes(sessions: OpenSessions): OpenFeature {
  const { store, clock, keyring, uses, authenticator } = sessions;
  return {
    formats: nameFormats,
    authenticate: (token) => authenticator.authenticate(token),
    routes: (app) => {
      refreshRoute(app, sessions);
      sessionRoutes(app, sessions);
    },
    readings: () => authenticator.readings,
    measure: async () => readingsOf({ stoa_sessions: await store.read(countSessions, null) }),
    jobs: [
      { name: 'reading the signing keys', every: RELOAD_MS, run: () => keyring.reload() },
      { name: 'keeping the last use of tokens', every: MINUTE_MS, run: () => uses.write(store) },
      {
        name: 'removing old signing keys',
        every: MINUTE_MS,
        run: () => store.write(removeOldSigningKeys, { now: clock() }),
      },
    ],
  };
}
