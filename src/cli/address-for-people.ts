import { isIP } from 'node:net';
import type { Config } from '../config.ts';

/**
 * The address of the service as a person opens it, without a slash at its end. At the own machine it is `localhost`,
 * because browsers have no passkeys at an IP address.
 */
export function addressForPeople({ publicUrl, host }: Config, port: number): string {
  if (publicUrl !== undefined) return publicUrl;
  const isOwnMachine = /^(127\.|0\.0\.0\.0$|::1?$)/.test(host);
  if (isOwnMachine) return `http://localhost:${port}`;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
