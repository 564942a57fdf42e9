import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectDocuments } from './support/documents/library.ts';
import { roundTrip } from './support/documents/round-trip.ts';
import { startProcess } from './support/process.ts';

/**
 * Loads real documents through the HTTP interface and reads them back byte for byte:
 * `npm run test:documents [-- <how many> [<folder>]]`, from node_modules of this checkout by default.
 */
const [atLeast = '1000', folder = 'node_modules'] = process.argv.slice(2);

const documents = await collectDocuments(folder, Number(atLeast));
const DATA_DIR = await mkdtemp(join(tmpdir(), 'stoa-documents-'));
try {
  const service = await startProcess({ after: () => {} }, { DATA_DIR });
  const report = await roundTrip(service.url, documents);
  await service.stop('SIGTERM');
  const { store, readBack, search } = report.seconds;
  process.stdout.write(
    `${[
      `${report.documents} documents, ${(report.bytes / 1024 / 1024).toFixed(1)} MiB, as ten accounts at once`,
      `  stored     ${store.toFixed(1)} s`,
      `  read back  ${readBack.toFixed(1)} s, every byte the same`,
      `  searched   ${search.toFixed(1)} s, ${report.searches} searches, every total right`,
    ].join('\n')}\n`,
  );
} finally {
  await rm(DATA_DIR, { recursive: true });
}
