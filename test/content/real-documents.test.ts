// Needs: processes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectDocuments } from '../support/documents/library.ts';
import { roundTrip } from '../support/documents/round-trip.ts';
import { temporaryFolder } from '../support/engines.ts';
import { startProcess } from '../support/process.ts';

const NODE_MODULES = new URL('../../node_modules', import.meta.url).pathname;

describe('A thousand real documents', () => {
  it('A thousand real documents stored by ten accounts at once come back byte for byte and are found', async (t) => {
    const documents = await collectDocuments(NODE_MODULES, 1_000);
    const { url } = await startProcess(t, { DATA_DIR: await temporaryFolder(t) });
    const report = await roundTrip(url, documents);
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.documents, documents.length);
  });
});
