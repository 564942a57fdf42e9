import { isIP } from 'node:net';

/** The URL of a host and a port, without a slash at its end. An IPv6 address stands in brackets (RFC 3986, 3.2.2). */
export function httpUrl(host: string, port: number): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
