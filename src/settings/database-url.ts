import { join, resolve } from 'node:path';

export type Database =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolSize: number };

/** Connections to PostgreSQL that one instance opens at most, beside one that listens. */
export const DEFAULT_POOL = 10;

/** `sqlite:<path>` or `postgres://...`; empty is the SQLite file in the data folder. */
export function parseDatabaseUrl(text: string, dataDir: string, poolSize = DEFAULT_POOL): Database {
  if (text === '') return { kind: 'sqlite', file: join(dataDir, 'stoa.db') };
  if (/^postgres(ql)?:/.test(text)) {
    if (isPostgresUrl(text)) return { kind: 'postgres', url: text, poolSize };
    throw new Error(
      'must be postgres://<user>:<password>@<host>/<database>, with special characters in user and password percent-encoded (# is %23, / is %2F, ? is %3F, @ is %40, % is %25).',
    );
  }
  if (/^sqlite:./.test(text)) return { kind: 'sqlite', file: resolve(text.slice('sqlite:'.length)) };
  throw new Error('must be sqlite:<path> or postgres://<user>@<host>/<database>.');
}

/** False where a part was cut short by a character of its own, as "#" and "/" cut a password. */
function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url?.href.includes('://') || /[\s#]/.test(text)) return false;
  const { pathname, search, username, password } = url;
  const isCut = pathname.includes('@') || (pathname === '' && search.includes('@'));
  return !isCut && isDecodable(username) && isDecodable(password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
