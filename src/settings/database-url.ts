import { join, resolve } from 'node:path';

export type Database =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly poolSize: number };

/** The most connections to PostgreSQL of one instance, without the one that listens. */
export const DEFAULT_POOL = 10;

/** `sqlite:<path>` or `postgres://...`. An empty text means the SQLite file in the data folder. */
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

/** False if a part was cut short by an unescaped character, as "#" and "/" cut a password. */
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
