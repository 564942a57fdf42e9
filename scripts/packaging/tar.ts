import { dirname } from 'node:path';

export interface PackedFile {
  /** With "/" between its parts, relative. */
  readonly path: string;
  readonly mode: number;
  readonly bytes: Buffer;
}

const BLOCK = 512;
/** 1985-10-26, which npm gives to the files of its packages: some tools refuse 1970. */
const TIME = 499_162_500;

/**
 * An archive in the format of POSIX (ustar), the same bytes for the same files: sorted, of root, at one time. Folders
 * are in it, so that they can be read by everybody whoever unpacks it.
 */
export function tar(files: readonly PackedFile[]): Buffer {
  const folders = [...new Set(files.flatMap(({ path }) => foldersOf(path)))];
  const entries = [
    ...folders.map((path) => ({ path: `${path}/`, blocks: [header(`${path}/`, 0o755, 0, '5')] })),
    ...files.map(({ path, mode, bytes }) => ({
      path,
      blocks: [header(path, mode, bytes.length, '0'), bytes, padding(bytes.length)],
    })),
  ];
  entries.sort((one, other) => (one.path < other.path ? -1 : 1));
  return Buffer.concat([...entries.flatMap(({ blocks }) => blocks), Buffer.alloc(2 * BLOCK)]);
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [...foldersOf(folder), folder];
}

function header(path: string, mode: number, size: number, type: '0' | '5'): Buffer {
  const block = Buffer.alloc(BLOCK);
  const [prefix, name] = partsOf(path);
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(TIME, 11), 136);
  // The sum counts its own field as spaces.
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

/** The folder and the rest of a path: the format has 155 and 100 bytes for them. */
function partsOf(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path];
  for (let cut = path.indexOf('/'); cut >= 0; cut = path.indexOf('/', cut + 1)) {
    const parts: [string, string] = [path.slice(0, cut), path.slice(cut + 1)];
    if (Buffer.byteLength(parts[0]) <= 155 && Buffer.byteLength(parts[1]) <= 100) return parts;
  }
  throw new Error(`The path is too long for an archive: ${path}`);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
