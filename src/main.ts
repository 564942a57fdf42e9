#!/usr/bin/env -S node --max-semi-space-size=8
import { refusalOfNode } from './cli/node-version.ts';

// An old Node must be able to run this check. So everything that needs a newer one is loaded after it.
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  await import('./cli/program.ts');
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 1;
}
