/** Requests as bytes, with the headers that a common client library sends. */

/** With the tag of an answer that is known already, the answer is 304. */
export function get(path: string, token?: string, known?: string): string {
  const condition = known === undefined ? '' : `if-none-match: ${known}\r\n`;
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization(token)}${condition}\r\n`;
}

export function post(path: string, body: object, token?: string): string {
  const json = JSON.stringify(body);
  const length = Buffer.byteLength(json);
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n`;
  return `${head}content-length: ${length}\r\n${authorization(token)}\r\n${json}`;
}

export function postNothing(path: string, token: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n${authorization(token)}\r\n`;
}

function authorization(token: string | undefined): string {
  return token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
}
