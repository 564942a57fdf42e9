import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Account, type Answer, call, newAccount, refresh } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { newWithRole } from '../support/people.ts';
import { runCommands } from '../support/random-runs.ts';
import { COMMANDS, list } from './content-commands.ts';
import type { Content } from './content-model.ts';

onEveryEngine('Content and its lists', (engine) => {
  it('Content and its lists follow the model on every instance, whatever is made, changed and deleted', async (t) => {
    const fleet = await startFleet(t, engine);
    const { url } = fleet.instance(0);
    let people = [
      await newAccount(url),
      await newAccount(url),
      await newWithRole(fleet.instance(0), 'editor'),
    ];
    await runCommands(t, COMMANDS, {
      runs: 3,
      length: 40,
      begin: async () => {
        people = await Promise.all(people.map((person) => refreshed(fleet, person)));
        await removeAll(fleet, people);
        return { model: { items: [], restarts: 0 } satisfies Content, real: { fleet, people } };
      },
      end: async (model, stage) => {
        for (const [index, person] of [undefined, ...people].entries())
          await list(
            model,
            stage,
            { page: 1, per_page: 100, category: '', tag: '', author: person?.id },
            index,
          );
      },
    });
  });
});

async function refreshed(fleet: Fleet, person: Account): Promise<Account> {
  const { body } = await refresh(fleet.instance(0).url, person.refreshToken);
  return { ...person, token: body.data.token, refreshToken: body.data.refresh_token };
}

/** What an earlier sequence left, whether that held or not. */
async function removeAll(fleet: Fleet, people: readonly Account[]): Promise<void> {
  const [{ url }, token] = [fleet.instance(0), people.at(-1)?.token];
  for (;;) {
    const { body } = await call(url, 'GET', '/api/content?per_page=100');
    if (body.data.items.length === 0) return;
    const answers: Answer[] = await Promise.all(
      body.data.items.map(({ id }: { id: number }) => call(url, 'DELETE', `/api/content/${id}`, { token })),
    );
    for (const { status } of answers) assert.equal(status, 200, 'a list shows an item that is not there');
  }
}
