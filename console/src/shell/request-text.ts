import { requestOf } from '@stoa/client';
import type { ViewRequest } from './ask.ts';

/** Where both texts find the access token. The token itself is never copied. */
const TOKEN = 'STOA_TOKEN';

/** A command for a POSIX shell. `url` is that of the service. */
export function curlOf(url: string, { operation, input }: ViewRequest): string {
  const { method, path } = requestOf(operation, input);
  const words = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    shellWord(url + path),
    `-H "Authorization: Bearer $${TOKEN}"`,
  ];
  return `${words.join(' ')}\n`;
}

/** A program for Node.js with the client. `url` is that of the service. */
export function typeScriptOf(url: string, { operation, input }: ViewRequest): string {
  const members = Object.entries(input).map(([name, value]) => `  ${name}: ${literal(value)},\n`);
  return `import { createClient, memoryTokens } from "@stoa/client";

const stoa = createClient({ url: ${literal(url)}, tokens: memoryTokens() });
const result = await stoa.call(${literal(operation)}, {
${members.join('')}  headers: { authorization: \`Bearer \${process.env.${TOKEN}}\` },
});
if (!result.ok) throw new Error(result.error.message);
console.log(result.data);
`;
}

/** The text as one word of a POSIX shell, which means nothing else in it. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A value as TypeScript. Names of parameters need no quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{}';
  return `{ ${members.map(([name, member]) => `${name}: ${literal(member)}`).join(', ')} }`;
}
