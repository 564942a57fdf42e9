#!/usr/bin/env -S node --max-semi-space-size=8
import module from 'node:module';
import { join } from 'node:path';
import { refusalOfNode } from './cli/node-version.ts';

// An old Node must be able to run this check. So everything that needs a newer one is loaded after it.
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  // The next start finds what this one compiles, where the folder can be written, and takes a tenth less time. Threads
  // and processes that it starts find the folder in the environment.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/stoa/compiled');
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  await import('./cli/program.ts');
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
