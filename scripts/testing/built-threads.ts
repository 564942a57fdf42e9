import { registerHooks } from 'node:module';
import { parse } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';

/**
 * Loaded before each test file, where dist/ is made of the sources as they are (scripts/test.ts): threads of the service
 * load the bundle, as those of `npm start` do, in a third of the time. A thread with operations that a test made loads
 * the sources as they do.
 */
const ENTRIES =
  /\/src\/(operations|auth\/hashing\/thread|content\/words-thread|store\/sqlite\/[a-z]+-thread)\.ts$/;

if (!isMainThread && !hasOperationsOfTest()) {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const found = nextResolve(specifier, context);
      if (!ENTRIES.test(found.url)) return found;
      const { name } = parse(found.url);
      return { ...found, url: new URL(`../../dist/${name}.js`, import.meta.url).href, format: 'module' };
    },
  });
}

function hasOperationsOfTest(): boolean {
  const { operationsUrl } = Object(workerData) as { operationsUrl?: unknown };
  return typeof operationsUrl === 'string' && !ENTRIES.test(operationsUrl);
}
