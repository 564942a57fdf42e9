import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { Failure, invalid } from '../domain/failure.ts';
import { isStorable } from '../domain/text.ts';

/** Deeper or larger structures than any body needs; stops work before it is done (decisions 0003). */
const MAX_DEPTH = 16;
const MAX_PARTS = 10_000;

/** Takes JSON bodies alone, strictly: valid UTF-8, no repeated member, nothing that cannot be stored. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    try {
      done(null, parseJson(body));
    } catch (error) {
      done(error as Error);
    }
  });
  // Some clients announce a content type and send nothing: that is no body.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    if (body.length === 0) done(null, undefined);
    else done(unsupportedMediaType());
  });
}

export function unsupportedMediaType(): Failure {
  return new Failure({
    error: 'unsupported_media_type',
    message: 'Send the body as JSON, with the header "Content-Type: application/json".',
  });
}

/** Fails with `malformed_request`, or `validation_failed` naming the member. Empty is undefined. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw malformed('The body is not valid UTF-8.');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
  checkStructure(text);
  // Only an escape can bring in what UTF-8 cannot carry or the engines cannot store.
  if (text.includes('\\u')) checkStorable(value, 'body');
  return value;
}

function malformed(message: string): Failure {
  return new Failure({ error: 'malformed_request', message });
}

/** JSON.parse lets the last of two equal members win, silently; a client that sends two is in error. */
function checkStructure(json: string): void {
  const open: Set<string>[] = [];
  let parts = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const end = endOfString(json, at);
      if (isMemberName(json, end)) checkMember(JSON.parse(json.slice(at, end + 1)), open.at(-1));
      at = end;
    } else if (character === '{' || character === '[') {
      if (open.push(new Set()) > MAX_DEPTH)
        throw malformed(`The body is nested more than ${MAX_DEPTH} deep.`);
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',' && ++parts > MAX_PARTS) {
      throw malformed(`The body has more than ${MAX_PARTS} parts.`);
    }
  }
}

function checkMember(name: string, siblings: Set<string> | undefined): void {
  if (name === '__proto__') {
    throw invalid([
      { field: name, rule: 'reserved', message: 'The member name "__proto__" is not allowed.' },
    ]);
  }
  if (siblings?.has(name)) {
    const field = isStorable(name) ? name : 'body';
    throw invalid([
      { field, rule: 'unique', message: `The member "${field}" is there twice; send it once.` },
    ]);
  }
  siblings?.add(name);
}

/** The index of the closing quote of the string that opens at `start`, in valid JSON. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function isMemberName(json: string, endOfName: number): boolean {
  let at = endOfName + 1;
  while (json[at] === ' ' || json[at] === '\n' || json[at] === '\r' || json[at] === '\t') at++;
  return json[at] === ':';
}

function checkStorable(value: unknown, field: string): void {
  if (typeof value === 'string') {
    if (isStorable(value)) return;
    const message = `${field} must not contain NUL or half a surrogate pair.`;
    throw invalid([{ field, rule: 'storable', message }]);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    checkStorable(name, field);
    checkStorable(member, field === 'body' ? name : `${field}.${name}`);
  }
}
