import { join, resolve } from 'node:path';

export type Database =
  | { readonly kind: 'sqlite'; readonly file: string }
  | {
      readonly kind: 'postgres';
      /** Where each connection is a session of its own. */
      readonly url: string;
      /** A pooler in transaction mode, through which requests go. */
      readonly poolerUrl?: string;
      readonly poolSize: number;
    };

/** The most connections to PostgreSQL of one instance, without the one that listens. */
export const DEFAULT_POOL = 10;

const POSTGRES = /^postgres(ql)?:/;

/** `sqlite:<path>` or `postgres://...`. An empty text means the SQLite file in the data folder. */
export function parseDatabaseUrl(text: string, dataDir: string, poolSize = DEFAULT_POOL): Database {
  if (text === '') return { kind: 'sqlite', file: join(dataDir, 'stoa.db') };
  if (POSTGRES.test(text)) return { kind: 'postgres', url: wholeUrl(text), poolSize };
  if (/^sqlite:./.test(text)) return { kind: 'sqlite', file: resolve(text.slice('sqlite:'.length)) };
  throw new Error('must be sqlite:<path> or postgres://<user>@<host>/<database>.');
}

/** The address of PostgreSQL itself. An empty text means that DATABASE_URL is that address. */
export function parseDirectUrl(text: string): string | undefined {
  if (text === '') return undefined;
  if (POSTGRES.test(text)) return wholeUrl(text);
  throw new Error('must be postgres://<user>@<host>/<database>.');
}

/** The requests of this database go through its address, a pooler in transaction mode, and all others go directly. */
export function throughPooler(database: Database, directUrl: string): Database {
  if (database.kind === 'postgres') return { ...database, url: directUrl, poolerUrl: database.url };
  throw new Error('must be that of a pooler of PostgreSQL where DATABASE_DIRECT_URL is set.');
}

/** The URL of a database of PostgreSQL. Fails where a part of it was cut short. */
function wholeUrl(text: string): string {
  if (isPostgresUrl(text)) return text;
  throw new Error(
    'must be postgres://<user>:<password>@<host>/<database>, with special characters in user and password percent-encoded (# is %23, / is %2F, ? is %3F, @ is %40, % is %25).',
  );
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
