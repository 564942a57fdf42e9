import { isIP } from 'node:net';

/** "off" is false. Throws for what is neither that nor addresses. */
export function trustProxy(text: string): false | string[] {
  if (text === 'off') return false;
  const addresses = text.split(',').map((each) => each.trim());
  if (addresses.every(isAddress)) return addresses;
  throw new Error(`must be off, or the addresses of the proxies with commas between them, not "${text}".`);
}

function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (rest.length > 0) return false;
  if (bits === undefined) return most > 0;
  // A range of all addresses (/0) would let every client claim any address.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most;
}

/** A user part, also of a text that is no good URL for another reason. */
const USER = /^\s*[a-z]*:?[/\\]*[^/\\?#]*@/i;

/** Throws for a URL with a user name or a password, and does not repeat it. */
export function withoutUser(text: string): string {
  if (!USER.test(text)) return text;
  throw new Error('must have no user name and no password: everybody gets links that begin with it.');
}

/** Without a slash at its end; undefined for an empty text. Throws for what is no such URL, or has a password. */
export function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = /^https?:\/\/[^\s?#]+$/.test(withoutUser(text)) ? URL.parse(text) : null;
  if (url) return text.replace(/\/+$/, '');
  throw new Error(`must be an http or https URL without a query and without spaces, not "${text}".`);
}

/** None for an empty text. Throws for "*" and for what is no origin. */
export function corsOrigins(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const origins = text.split(',').map((each) => each.trim());
  if (origins.includes('*')) {
    throw new Error('must name each origin; "*" would let the pages of every site read the answers.');
  }
  const wrong = origins.find((each) => !/^https?:/.test(each) || URL.parse(each)?.origin !== each);
  if (wrong === undefined) return origins;
  const rule =
    'must be origins like https://app.example.org with commas between them (lower case, no path, no slash at the end)';
  throw new Error(
    USER.test(wrong) ? `${rule}, without a user name and a password.` : `${rule}, not "${wrong}".`,
  );
}
