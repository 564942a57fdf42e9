import { it } from 'node:test';
import { onEveryEngine } from '../support/engines.ts';
import { startFleet } from '../support/fleet.ts';
import { runCommands } from '../support/random-runs.ts';
import { COMMANDS, logIn, present, register, seeEverywhere } from './sessions-commands.ts';
import { type Sessions, SOON_MS } from './sessions-model.ts';

onEveryEngine('Sessions and their tokens', (engine) => {
  it('Sessions and tokens follow the model on every instance, whatever is done in whatever order', async (t) => {
    const fleet = await startFleet(t, engine);
    await runCommands(t, COMMANDS, {
      runs: 10,
      length: 60,
      begin: async () => {
        const model: Sessions = { accounts: [], sessions: [], logins: 0, restarts: 0 };
        await register(model, fleet, 0);
        await logIn(model, fleet, 0, 0);
        return { model, real: fleet };
      },
      end: async ({ sessions }) => {
        fleet.passTime(SOON_MS);
        for (const session of sessions) {
          await seeEverywhere(session, fleet);
          await present(session, fleet, 0, 0);
        }
      },
    });
  });
});
