import { readdirSync, readFileSync } from 'node:fs';

const SOURCE = new URL('../../../console/src/', import.meta.url);
const VIEW = /path: '([^']+)',\s+title: [^}]*?needs: '(member|admin)'/g;

/** All views of those who are signed in: their path, and who may see them. They are read from the source of the console. */
export const VIEWS = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('/views.ts'))
  .flatMap((file) => [...readFileSync(new URL(file, SOURCE), 'utf8').matchAll(VIEW)])
  .map(([, path = '', needs = '']) => ({ path, needs }));
