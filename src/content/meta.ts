import { requireExactNumbers } from '../domain/exact-numbers.ts';
import { type Failure, invalid } from '../domain/failure.ts';

/** An object of the author's own, as JSON. */
export type Meta = Readonly<Record<string, unknown>>;

/** Of the JSON, in UTF-8. */
const MAX_BYTES = 16 * 1024;
/** The object itself is the first level. */
const MAX_DEPTH = 8;

/**
 * The JSON of an object as it is stored. All that writes the column calls this. Fails with `validation_failed` where
 * the object is too large or too deep, or where what a client gave of it has a number that may come back as another
 * one.
 */
export function jsonOfMeta(meta: Meta, given: Meta = meta): string {
  requireDepth(meta, MAX_DEPTH);
  requireExactNumbers('meta', given);
  const json = JSON.stringify(meta);
  if (Buffer.byteLength(json) > MAX_BYTES) throw broken('maxBytes', 'must have at most 16 KiB as JSON.');
  return json;
}

/** What a merge patch makes of the object (RFC 7396, 2). Members that stay keep their places. */
export function mergedMeta(meta: Meta, patch: Meta): Meta {
  const merged: Record<string, unknown> = { ...meta };
  for (const [name, value] of Object.entries(patch)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? mergedMeta(isObject(before) ? before : {}, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Meta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requireDepth(value: unknown, left: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw broken('maxDepth', `must be nested at most ${MAX_DEPTH} deep.`);
  for (const each of Object.values(value)) requireDepth(each, left - 1);
}

function broken(rule: string, must: string): Failure {
  return invalid([{ field: 'meta', rule, message: `meta ${must}` }]);
}
