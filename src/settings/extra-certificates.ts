import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Environment } from './setting.ts';

/**
 * Trusts the certificates of NODE_EXTRA_CA_CERTS also where the file `.env` sets it: Node.js reads it from the
 * environment when the process starts, and then never again. Processes that this one starts inherit it, and no thread of
 * ours connects anywhere. Fails with an Error whose message continues the name of the setting.
 */
export function trustExtraCertificates({ NODE_EXTRA_CA_CERTS: file }: Environment): void {
  if (!file) return;
  // Loaded only here, because a start without it needs no TLS.
  const tls = process.getBuiltinModule('node:tls');
  if (tls.getCACertificates('extra').length > 0) return;
  let certificates: string;
  try {
    certificates = readFileSync(file, 'utf8');
    // Without one, the next call would say nothing.
    new X509Certificate(certificates);
  } catch {
    throw new Error(`must name a readable file of certificates (PEM); "${file}" is not.`);
  }
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificates]);
}
