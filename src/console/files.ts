import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hasCode } from '../domain/reason.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const NAME = /^\w[\w.-]{0,63}-[A-Z0-9]{8}\.(js|css|svg)$/;
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
type Encoding = keyof typeof ENDINGS;

export interface Asset {
  readonly type: string;
  readonly encoding: Encoding;
  readonly bytes: Buffer;
}

/** Where a build puts the console: beside the bundle, or seen from this source. */
const FOLDER = [new URL('./console/', import.meta.url), new URL('../../dist/console/', import.meta.url)];

/** The files of the built console, each read at the first request for it. */
export class ConsoleFiles {
  readonly #folder = FOLDER.find((folder) => existsSync(new URL('index.html', folder)));
  readonly #read = new Map<string, Promise<Buffer | undefined>>();

  /** The page; undefined where the console was not built. */
  async page(): Promise<string | undefined> {
    return (await this.#file('index.html'))?.toString();
  }

  /** An asset in the best encoding that the client takes; undefined where there is no such file. */
  async asset(name: string, accepted: string): Promise<Asset | undefined> {
    const type = TYPES[NAME.exec(name)?.[1] ?? ''];
    if (type === undefined) return undefined;
    for (const encoding of ['br', 'gzip', 'identity'] as const) {
      if (encoding !== 'identity' && !takes(accepted, encoding)) continue;
      const bytes = await this.#file(`assets/${name}${ENDINGS[encoding]}`);
      if (bytes) return { type, encoding, bytes };
    }
    return undefined;
  }

  /** Each file is in the memory once, however many clients are slow. */
  async #file(name: string): Promise<Buffer | undefined> {
    if (!this.#folder) return undefined;
    const reading = this.#read.get(name) ?? this.#open(new URL(name, this.#folder), name);
    this.#read.set(name, reading);
    return reading;
  }

  async #open(file: URL, name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(file);
    } catch (error) {
      this.#read.delete(name);
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }
}

/** Does Accept-Encoding (RFC 9110, 12.5.3) name this encoding, and not refuse it? */
function takes(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
