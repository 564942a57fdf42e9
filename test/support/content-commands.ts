import assert from 'node:assert/strict';
import { before } from 'node:test';
import { exportContent } from '../../src/cli/content-export.ts';
import { importContent } from '../../src/cli/content-import.ts';
import { type Account, call, newAccount } from './client.ts';
import type { CommandResult } from './command.ts';
import { commandHere } from './command-here.ts';
import { type Lifetime, lifetimeOfSuite, type TestEngine } from './engines.ts';
import { type RunningService, startHere } from './service.ts';

type ImportOptions = Parameters<typeof importContent>[2];

/** A running service with an account, and commands on its database. */
export async function startWithCommands(t: Lifetime, engine: TestEngine) {
  const settings = await engine.settings(t);
  const service = await startHere(t, settings);
  const author = await newAccount(service.url);
  return { ...service, author, settings, ...commandsOn(settings, author) };
}

/** Starts one service for all tests of a suite. Returns what makes an account there, with commands on the database. */
export function commandsOfSuite(engine: TestEngine) {
  const lifetime = lifetimeOfSuite();
  let settings: Record<string, string> = {};
  let service: RunningService | undefined;
  before(async () => {
    settings = await engine.settings(lifetime);
    service = await startHere(lifetime, settings);
  });
  return async () => {
    const { url } = service ?? assert.fail('The service starts before the first test.');
    const author = await newAccount(url);
    return { url, settings, author, ...commandsOn(settings, author) };
  };
}

/** The commands of content on a database, in this process. */
function commandsOn(settings: Record<string, string>, author: Account) {
  return {
    /** `stoa content import`, for the account unless told. */
    importFrom: (path: string, options: ImportOptions = { author: author.username }) =>
      commandHere(settings, (config) => importContent(config, path, options)),
    /** `stoa content export`. */
    exportTo: (path?: string) => commandHere(settings, (config) => exportContent(config, path)),
  };
}

/** What an import has counted: the items that were imported, changed, there already and refused. */
export function countsOf({ stdout }: CommandResult) {
  const found =
    /(\d+) items were imported, (\d+) were changed, (\d+) were there already, (\d+) were refused/.exec(
      stdout,
    );
  assert.ok(found, stdout);
  return found.slice(1).map(Number);
}

/** The refusals that an import has printed. */
export function refusalsIn({ stdout }: CommandResult): string[] {
  return stdout.split('\n').filter((each) => /^\S.*:\d+: /.test(each));
}

export async function itemsOf(url: string, { id, token }: Account) {
  const { body } = await call(url, 'GET', `/api/content?author=${id}&per_page=100`, { token });
  return body.data.items;
}
