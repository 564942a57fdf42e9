/** An answer of Stoa that the bare server repeats. */
export interface Sample {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Headers that the bare server sets itself. */
const OWN = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive']);

/** The answer of a server to a request, in the form that the bare server repeats. */
export async function takeSample(
  port: number,
  method: string,
  path: string,
  { token, body, known }: { token?: string; body?: object; known?: string | undefined } = {},
): Promise<Sample> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    // Else fetch would keep the answer that is not modified, and show that one.
    cache: 'no-store',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(known === undefined ? {} : { 'if-none-match': known }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status } = response;
  if (status !== 200 && status !== 304) throw new Error(`${method} ${path} answered ${status}: ${text}`);
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN.has(name)));
  return { status, headers, body: status === 304 ? undefined : (JSON.parse(text) as unknown) };
}
