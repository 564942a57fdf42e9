/** Where the refresh token of a page or a program is kept. */
export interface Tokens {
  /** Where a sign-in asks the service to put it. */
  readonly place: 'body' | 'cookie';
  /** What all tabs of a browser with the same token have in common. Undefined where each has its own. */
  readonly shared?: string;
  /** Undefined without a token, and where no script can read it. */
  readonly read: () => string | undefined;
  readonly write: (token: string | undefined) => void;
  /** Calls back when another tab has written. */
  readonly watch?: (changed: () => void) => void;
}

/** In memory: for a session that ends with the page or the process. Each refresh uses the token up. */
export function memoryTokens(refreshToken?: string): Tokens {
  let kept = refreshToken;
  return {
    place: 'body',
    read: () => kept,
    write: (token) => {
      kept = token;
    },
  };
}

/**
 * In localStorage, which all tabs share, and all scripts of the origin can read. Another storage may hold another account
 * under the same key, so it shares nothing. Not for sessionStorage: browsers copy it into a tab that a page opens, and
 * the second use of a copied token ends the session.
 */
export function storedTokens(key = 'stoa', storage: Storage = localStorage): Tokens {
  // Node.js warns of a localStorage that is only looked at.
  const isOfAllTabs = globalThis.Storage && storage instanceof Storage && storage === localStorage;
  return {
    place: 'body',
    ...(isOfAllTabs && { shared: key }),
    read: () => storage.getItem(key) ?? undefined,
    write: (token) => (token === undefined ? storage.removeItem(key) : storage.setItem(key, token)),
    watch: (changed) =>
      globalThis.addEventListener?.('storage', (event) => {
        if (event.storageArea === storage && (event.key === key || event.key === null)) changed();
      }),
  };
}

/** In a cookie that no script can read, for pages only: of the service's origin or of CORS_ORIGINS. */
export function cookieTokens(): Tokens {
  return { place: 'cookie', shared: 'cookie', read: () => undefined, write: () => {} };
}
