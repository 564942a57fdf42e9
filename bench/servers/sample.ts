/** An answer of Stoa that the bare server repeats. */
export interface Sample {
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
  { token, body }: { token?: string; body?: object } = {},
): Promise<Sample> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN.has(name)));
  return { headers, body: JSON.parse(text) as unknown };
}
