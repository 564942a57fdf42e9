import { isThisMachine } from '../domain/source.ts';

/** The rules of the settings of a bucket. Each fails with an Error whose message continues the name of the setting. */

/** RFC 1123 names, as all S3 servers take them. Undefined for an empty text. */
export function bucketName(text: string): string | undefined {
  if (text === '') return undefined;
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text)) return text;
  throw new Error(
    `must be the name of a bucket (3 to 63 lower-case letters, digits, dots and hyphens), not "${text}".`,
  );
}

/** The address of an S3 server without a slash at its end: over TLS, or on this machine, or with `?tls=off`. */
export function s3Endpoint(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'http:' && (url.search === '?tls=off' || isThisMachine(hostOf(url)));
  const isKnown = url && (url.search === '' || isPlain) && url.pathname === '/' && url.hash === '';
  if (isKnown && url.username === '' && (url.protocol === 'https:' || isPlain)) return url.origin;
  // The text is not repeated, because it may have a password.
  throw new Error(
    'must be https://<host> without a path, or http://<host>?tls=off for a network that you trust.',
  );
}

export function s3Region(text: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(text)) return text;
  throw new Error(`must be the name of a region, such as eu-central-1, not "${text}".`);
}

/** A part of the key to a bucket. */
export function s3Key(text: string): string {
  if (/^[\x21-\x7e]{1,256}$/.test(text)) return text;
  throw new Error('must be a key as the provider gave it, without spaces.');
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
