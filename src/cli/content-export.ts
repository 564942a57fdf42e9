import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Config } from '../config.ts';
import { hasCode } from '../domain/reason.ts';
import type { Store } from '../store/store.ts';
import { type ExportedItem, exportItems, lastItem } from '../transfer/content/export.ts';
import { writeLine } from '../transfer/content/line-contract.ts';
import { writeMarkdown } from '../transfer/content/markdown-contract.ts';
import { fileNameOf } from '../transfer/content/title.ts';
import { ExportFolder } from './export-folder.ts';
import { interruption } from './interruption.ts';
import { toNewFile } from './new-file.ts';
import { ProgressBar } from './progress-bar.ts';
import { LINES } from './read-items.ts';
import { withStore } from './with-store.ts';

/**
 * Writes all items but those in the trash: into a folder as Markdown files, into a new file as NDJSON, or without a
 * path to standard output. Messages are on standard error. A server may run meanwhile.
 */
export async function exportContent(config: Config, path: string | undefined): Promise<void> {
  await withStore(
    config,
    async (store) => {
      const progress = new ProgressBar(process.stderr);
      try {
        const { items, drafts } = (await isFile(path))
          ? { items: await exportLines(store, path, progress), drafts: 0 }
          : await exportFiles(store, path ?? '', progress);
        progress.end();
        const leftOut = drafts === 0 ? '' : ` ${drafts} drafts beside published items were left out.`;
        process.stderr.write(`${items} items were exported.${leftOut}\n`);
      } catch (error) {
        progress.end();
        throw interruption(error, (reason) => `The export was not finished: ${reason}.`);
      }
    },
    process.stderr,
  );
}

/** Standard output is a file here. */
async function isFile(path: string | undefined): Promise<boolean> {
  if (path === undefined || path === '-') return true;
  try {
    return !(await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return LINES.includes(extname(path).toLowerCase());
    throw error;
  }
}

async function* pagesOf(store: Store, progress: ProgressBar): AsyncGenerator<ExportedItem[]> {
  progress.begin('exporting content, ids', await store.read(lastItem, null));
  for (let after = 0; ; ) {
    const page = await store.read(exportItems, after);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = last.id;
    progress.reach(after);
  }
}

async function exportLines(store: Store, path: string | undefined, progress: ProgressBar): Promise<number> {
  let items = 0;
  async function* lines() {
    for await (const page of pagesOf(store, progress)) {
      yield page.map(writeLine).join('');
      items += page.length;
    }
  }
  await toNewFile(path === '-' ? undefined : path, (write) => write(lines()));
  return items;
}

/** Returns how many items it exported, and how many drafts beside them, for which a Markdown file has no place. */
async function exportFiles(
  store: Store,
  path: string,
  progress: ProgressBar,
): Promise<{ readonly items: number; readonly drafts: number }> {
  const folder = await ExportFolder.open(path);
  try {
    let [items, drafts] = [0, 0];
    for await (const page of pagesOf(store, progress)) {
      const files = page.map((item) => ({
        name: fileNameOf(String(item.members.title), item.id),
        text: writeMarkdown(item),
      }));
      await folder.write(files);
      items += page.length;
      drafts += page.filter(({ draft }) => draft).length;
    }
    await folder.finish();
    return { items, drafts };
  } finally {
    await folder.close();
  }
}
