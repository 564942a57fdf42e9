import { readFile } from 'node:fs/promises';

const FILE = new URL('../openapi.json', import.meta.url);

/** The committed document. A check compares it with what the routes generate (`stoa openapi`). */
export function readOpenapi(): Promise<Buffer> {
  return readFile(FILE);
}
