import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';

/** A real file, with what its package says about it. */
export interface Document {
  readonly title: string;
  readonly bytes: Buffer;
  readonly category: string;
  readonly tags: readonly string[];
}

/**
 * Kinds of files that are documents, the preferred first. Other kinds follow because there may not be enough
 * READMEs.
 */
const KINDS: readonly RegExp[] = [/^readme/i, /\.md$/i, /^licen[cs]e/i, /\.txt$/i, /\.d\.ts$/i];
const MAX_BYTES = 1024 * 1024;
const [MAX_TITLE, MAX_LABEL, MAX_TAGS] = [200, 64, 32];

/** At least that many real documents from the packages under a folder: READMEs first, then other texts. */
export async function collectDocuments(root: string, atLeast: number): Promise<Document[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const packages = await readPackages(files);
  const documents: Document[] = [];
  const seen = new Set<string>();
  for (const kind of KINDS) {
    // All READMEs are taken, and of each other kind only as many files as are missing.
    for (const file of files.filter((each) => kind.test(basename(each))).toSorted()) {
      if (seen.has(file) || (kind !== KINDS[0] && documents.length >= atLeast)) continue;
      seen.add(file);
      const bytes = await readFile(file);
      if (isStorable(bytes))
        documents.push({ title: lastOf(relative(root, file)), bytes, ...aboutOf(file, packages) });
    }
  }
  if (documents.length < atLeast)
    throw new Error(`There are only ${documents.length} documents under ${root}.`);
  return documents;
}

/** False for bytes that are no text, which JSON cannot carry, and for a file beyond the limit of the interface. */
function isStorable(bytes: Buffer): boolean {
  return bytes.length <= MAX_BYTES && isUtf8(bytes) && !bytes.includes(0);
}

type About = Pick<Document, 'category' | 'tags'>;

/** The licence and the keywords of each package, by its folder, cut to the rules of the interface. */
async function readPackages(files: readonly string[]): Promise<Map<string, About>> {
  const packages = new Map<string, About>();
  for (const file of files.filter((each) => basename(each) === 'package.json')) {
    const about = parse(await readFile(file, 'utf8'));
    if (about) packages.set(dirname(file), about);
  }
  return packages;
}

function parse(text: string): About | undefined {
  try {
    const { license, keywords } = JSON.parse(text) as { license?: unknown; keywords?: unknown };
    const words = Array.isArray(keywords) ? keywords.filter((each) => typeof each === 'string') : [];
    const tags = [...new Set(words.map((word) => firstOf(word.trim(), MAX_LABEL).trim()))].filter(Boolean);
    return {
      category: typeof license === 'string' ? firstOf(license, MAX_LABEL) : '',
      tags: tags.slice(0, MAX_TAGS),
    };
  } catch {
    // Some packages carry broken ones as test data.
    return undefined;
  }
}

function aboutOf(file: string, packages: ReadonlyMap<string, About>): About {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const about = packages.get(folder);
    if (about) return about;
  }
  return { category: '', tags: [] };
}

function firstOf(text: string, codePoints: number): string {
  return [...text].slice(0, codePoints).join('');
}

function lastOf(path: string): string {
  return [...path].slice(-MAX_TITLE).join('');
}
