import { httpUrl } from '../domain/http-url.ts';
import { reasonOf } from '../domain/reason.ts';
import { type Finding, finding } from './finding.ts';

const PATIENCE_MS = 5_000;
/** Addresses that a server listens on, and that a client cannot call everywhere. */
const CALLED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** What does the service itself say of its readiness? A stopped service is no fault. */
export async function checkService({ host, port }: { host: string; port: number }): Promise<Finding> {
  const url = `${httpUrl(CALLED[host] ?? host, port)}/readyz`;
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED')
      return finding('service', 'ok', `No service runs at ${url}.`);
    return finding(
      'service',
      'wrong',
      `The service at ${url} does not answer (${reasonOf(cause)}); see its log.`,
    );
  }
  const text = await response.text().catch(() => '');
  if (response.ok) return finding('service', 'ok', `The service at ${url} is ready.`);
  const details = text.slice(0, 500);
  return finding(
    'service',
    'wrong',
    `The service at ${url} is not ready (${response.status}: ${details}); see its log.`,
  );
}
