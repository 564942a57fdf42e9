import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const WRITERS = 32;
const CONTENT_BYTES = 16_000;
/** A writer whose service is away tries again after this time. */
const RETRY_MS = 50;

/** What writers were told. Times are in milliseconds since 1970. */
export interface Written {
  /** When each creation was acknowledged, by the title of the item. */
  readonly acknowledged: ReadonlyMap<string, number>;
  readonly highestId: () => number;
  /** How long each acknowledged creation took, in milliseconds. */
  readonly took: readonly number[];
  /** Ends the writers. Requests under way may still be acknowledged until this resolves. */
  readonly stop: () => Promise<void>;
}

/** Creates items without a pause, also over restarts of the service. Each has a title that no other run has. */
export function startWriters(url: string, token: string): Written {
  const run = randomBytes(4).toString('hex');
  const acknowledged = new Map<string, number>();
  const took: number[] = [];
  let [made, highest, goesOn] = [0, 0, true];
  const write = async () => {
    while (goesOn) {
      const title = `${run} ${made++}`;
      const content = randomBytes(Math.random() * (CONTENT_BYTES / 2)).toString('hex');
      const begun = performance.now();
      const id = await create(url, token, { title, content });
      if (id === undefined) {
        await pause(RETRY_MS);
        continue;
      }
      took.push(performance.now() - begun);
      acknowledged.set(title, Date.now());
      highest = Math.max(highest, id);
    }
  };
  const all = Promise.all(Array.from({ length: WRITERS }, write));
  return {
    acknowledged,
    took,
    highestId: () => highest,
    stop: async () => {
      goesOn = false;
      await all;
    },
  };
}

/** The id of the new item; undefined where it was not acknowledged. */
export async function create(url: string, token: string, item: object): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/api/content`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(item),
    });
    const { data } = (await response.json()) as { data: { id: number } };
    return response.status === 200 ? data.id : undefined;
  } catch {
    return undefined;
  }
}

/** What a restored database lacks of what was acknowledged before the end. */
export interface Loss {
  readonly acknowledged: number;
  readonly lost: number;
  /** From the first lost acknowledgement to the end. */
  readonly seconds: number;
  /** Items that were acknowledged more than a moment after one that is lost. Not zero: there is a hole. */
  readonly keptLater: number;
}

/** Creations that were under way together may be acknowledged in another order than they were committed. */
const MOMENT_MS = 1_000;

export function lossOf(
  acknowledged: ReadonlyMap<string, number>,
  titles: ReadonlySet<string>,
  endedAt: number,
): Loss {
  const lost = [...acknowledged].filter(([title]) => !titles.has(title)).map(([, at]) => at);
  const first = Math.min(endedAt, ...lost);
  const keptLater = [...acknowledged].filter(
    ([title, at]) => titles.has(title) && at > first + MOMENT_MS,
  ).length;
  return {
    acknowledged: acknowledged.size,
    lost: lost.length,
    seconds: (endedAt - first) / 1_000,
    keptLater,
  };
}
