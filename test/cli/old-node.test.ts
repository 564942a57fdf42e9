// Needs: processes.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { refusalOfNode } from '../../src/cli/node-version.ts';
import { VERSION } from '../../src/version.ts';
import { run } from '../support/command.ts';
import { temporaryFolder } from '../support/engines.ts';
import { MAIN } from '../support/main.ts';

const REFUSAL =
  'Stoa needs Node 26 or newer, and this is Node 20.20.2: start it with "npm start" or "npm run stoa", which use the one that "npm ci" installed.';

/** Makes this Node one of 2023: its version, and an end where a module is asked for that there was not. */
const AS_NODE_20 = `
import { registerHooks } from 'node:module';
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:sqlite') throw new Error('No such built-in module: node:sqlite');
    return next(specifier, context);
  },
});
`;

describe('A Node that is too old', { concurrency: true }, () => {
  it('An old Node is refused by its major version only', () => {
    assert.equal(refusalOfNode('20.20.2'), REFUSAL);
    assert.equal(refusalOfNode('25.9.0'), REFUSAL.replace('20.20.2', '25.9.0'));
    assert.equal(refusalOfNode('26.0.0'), undefined);
    assert.equal(refusalOfNode('100.1.0'), undefined);
  });

  it('An old Node gets one line with the version it needs, before anything fails on it', async (t) => {
    const hook = join(await temporaryFolder(t), 'as-node-20.mjs');
    await writeFile(hook, AS_NODE_20);
    const settings = { DATA_DIR: await temporaryFolder(t) };
    const answer = await run(process.execPath, ['--import', hook, MAIN, 'serve'], { settings });
    assert.deepEqual(answer, { code: 1, stdout: '', stderr: `${REFUSAL}\n` });
  });

  it('Each Node of this machine starts the service or is refused', async (t) => {
    const { stdout } = await run('sh', ['-c', 'which -a node']);
    const nodes = [...new Set([process.execPath, ...stdout.trim().split('\n')])];
    for (const node of nodes) {
      const version = (await run(node, ['--version'])).stdout.trim().slice(1);
      const refusal = refusalOfNode(version);
      t.diagnostic(`${node} is ${version}`);
      const answer = await run(node, [MAIN, '--version']);
      if (refusal === undefined) assert.ok(answer.stdout.startsWith(`${VERSION} (commit `));
      else assert.deepEqual(answer, { code: 1, stdout: '', stderr: `${refusal}\n` });
    }
  });
});
