import { type Agent, request } from 'node:http';

export interface WholeAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service sent.
  readonly body: any;
}

/** One request on the connection of the agent. Fails unless the whole answer arrives. */
export function sendOn(
  agent: Agent,
  url: string,
  method: string,
  path: string,
  token: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<WholeAnswer> {
  const headers = {
    ...more,
    authorization: `Bearer ${token}`,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}
