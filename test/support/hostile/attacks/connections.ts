import { setTimeout as pause } from 'node:timers/promises';
import { newItem } from '../../client.ts';
import { rawGet } from '../../raw.ts';
import { type Attack, crowd } from '../attack.ts';
import type { Target } from '../target.ts';

/** A page of 20 items of this many control characters is the largest: six characters of JSON for each byte. */
const DEAREST = '\u0001'.repeat(13_100);
const CONNECTIONS = 4_000;

/** Answers that are large, and connections that nobody can be rid of. */
export const CONNECTION_ATTACKS: readonly Attack[] = [
  {
    title: '64 strangers send 30 requests for the largest page each, and never read',
    needs: [],
    prepare: largestPage,
    play: (target, stop) => holdAll(target, stop, rawGet('/api/content').repeat(30)),
  },
  {
    title: '64 strangers ask for the largest page once each, on and on, and never read',
    needs: [],
    prepare: largestPage,
    play: (target, stop) =>
      crowd(target, 64, async (person) => {
        while (!stop.aborted) {
          const socket = person.hold(rawGet('/api/content'));
          await pause(250);
          socket.destroy();
        }
      }),
  },
  {
    title: '64 strangers read the largest page on and on',
    needs: ['GET 200'],
    prepare: largestPage,
    play: (target, stop) =>
      crowd(target, 64, (person) => person.askOnAndOn(stop, () => ({ path: '/api/content' }))),
  },
  {
    title: '64 strangers send 1,000 requests for a large file on one connection each, and never read',
    needs: [],
    play: (target, stop) => holdAll(target, stop, rawGet('/docs/swagger-ui-bundle.js').repeat(1_000)),
  },
  {
    title: '64 strangers ask for the head of an item of 1 MiB, on 16 connections each',
    needs: ['HEAD 200'],
    play: async (target, stop) => {
      const { id } = await newItem(target.url, target.member.token, { content: 'x'.repeat(1024 * 1024) });
      const head = { method: 'HEAD', path: `/api/content/${id}` };
      await crowd(target, 64, async (person) => {
        await Promise.all(Array.from({ length: 16 }, () => person.askOnAndOn(stop, () => head)));
      });
    },
  },
  {
    title: `${CONNECTIONS} connections from one source, each with half a request line`,
    needs: [],
    isShort: true,
    reachesNoRow: true,
    play: async (target, stop) => {
      const [person] = target.people(1);
      for (let count = 0; count < CONNECTIONS && !stop.aborted; count++) {
        person?.hold('GET /livez');
        if (count % 100 === 0) await pause(1);
      }
      await untilStopped(stop);
    },
  },
  {
    title: '500 bodies of 1 MiB that come a byte at a time',
    needs: [],
    isShort: true,
    reachesNoRow: true,
    play: async (target, stop) => {
      const { member } = target;
      const head = `POST /api/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${member.token}\r\nContent-Type: application/json\r\n`;
      await crowd(target, 50, async (person) => {
        const sized = Array.from({ length: 5 }, () => person.hold(`${head}Content-Length: 1048576\r\n\r\n`));
        const chunked = Array.from({ length: 5 }, () =>
          person.hold(`${head}Transfer-Encoding: chunked\r\n\r\n`),
        );
        while (!stop.aborted) {
          for (const socket of sized) if (socket.writable) socket.write(' ');
          for (const socket of chunked) if (socket.writable) socket.write('1\r\n \r\n');
          await pause(20);
        }
      });
    },
  },
  {
    title: 'bodies in chunks of one byte, as fast as they go, to paths that take none',
    needs: [],
    play: (target, stop) =>
      crowd(target, 8, async (person) => {
        const pieces = '1\r\n \r\n'.repeat(10_000);
        while (!stop.aborted) {
          const socket = person.hold('POST /livez HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
          while (!stop.aborted && !socket.destroyed) {
            if (socket.writableLength < 1_000_000) socket.write(pieces);
            await pause(5);
          }
        }
      }),
  },
];

async function largestPage({ url, member }: Target): Promise<void> {
  for (let count = 0; count < 20; count++) await newItem(url, member.token, { content: DEAREST });
}

/** Connections of 64 people that send this once, and stay. */
async function holdAll(target: Target, stop: AbortSignal, bytes: string): Promise<void> {
  for (const person of target.people(64)) person.hold(bytes);
  await untilStopped(stop);
}

async function untilStopped(stop: AbortSignal): Promise<void> {
  while (!stop.aborted) await pause(20);
}
