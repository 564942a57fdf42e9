// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundleOf } from '../support/content-pages/site.ts';

/** Kilobytes that the editor of content with all it loads may have, which leaves 18 of 130 to the rest of the console. */
const MOST_KB = 112;

it('The editor of content with all it loads, Preact among it, stays below 112 KB', async () => {
  const files = [...(await bundleOf())].filter(
    ([name]) => !/^(?:text-merge|versions|list|trash|labels|style)\b/.test(name),
  );
  const sizes = files.map(([name, contents]) => ({ name, size: gzipSync(contents, { level: 9 }).length }));
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  assert.ok(all > 50_000 && all <= MOST_KB * 1024, JSON.stringify({ all, sizes }));
});
