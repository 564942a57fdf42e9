// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleOf } from '../support/content-pages/site.ts';

/** Kilobytes that everything the editor of content needs may have, which leaves 15 of 130 to the rest of the console. */
const MOST_KB = 115;

it('The content pages with their text editor and Preact stay below 115 KB', async () => {
  const files = [...(await bundleOf())].filter(
    ([name]) => !name.startsWith('text-merge') && name !== 'style.css',
  );
  const sizes = files.map(([name, contents]) => ({ name, size: gzipSync(contents, { level: 9 }).length }));
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  assert.ok(all > 50_000 && all <= MOST_KB * 1024, JSON.stringify({ all, sizes }));
});
