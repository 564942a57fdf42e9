import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printAudit } from '../../src/cli/audit.ts';
import { exportUsers } from '../../src/cli/users-export.ts';
import { importUsers } from '../../src/cli/users-import.ts';
import { commandHere } from './command-here.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';

export const HASH = '$pbkdf2-sha256$i=1000$c29tZXNhbHQ$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M';

/** An account as a line of an import. */
export function lineOf(username: string, others: Record<string, unknown> = {}): string {
  return JSON.stringify({ username, email: `${username}@example.org`, password_hash: HASH, ...others });
}

export function linesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => lineOf(`person${index}`));
}

/** The accounts of an export. */
export function accountsIn({ stdout }: { readonly stdout: string }) {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The commands of accounts on a database, in this process. */
export function userCommandsOn(t: Lifetime, settings: Record<string, string>) {
  const importFile = (file: string) => commandHere(settings, (config) => importUsers(config, file));
  return {
    importFile,
    importText: async (text: string) => {
      const file = join(await temporaryFolder(t), 'in.ndjson');
      await writeFile(file, text);
      return importFile(file);
    },
    /** To standard output unless told. */
    exportTo: (file = '-') => commandHere(settings, (config) => exportUsers(config, file)),
    /** `stoa audit`. */
    events: () => commandHere(settings, (config) => printAudit(config, { limit: '100' })),
  };
}
