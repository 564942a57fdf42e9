import type { Config } from '../config.ts';
import { httpUrl } from '../domain/http-url.ts';

/**
 * The address of the service as a person opens it, without a slash at its end. At the own machine it is `localhost`,
 * because browsers have no passkeys at an IP address.
 */
export function addressForPeople({ publicUrl, host }: Config, port: number): string {
  if (publicUrl !== undefined) return publicUrl;
  const isOwnMachine = /^(127\.|0\.0\.0\.0$|::1?$)/.test(host);
  return httpUrl(isOwnMachine ? 'localhost' : host, port);
}
