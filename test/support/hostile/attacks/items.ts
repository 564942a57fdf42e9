import { call, newItem } from '../../client.ts';
import { type Attack, crowd } from '../attack.ts';
import type { Target } from '../target.ts';

const MIB = 1024 * 1024;
const LARGE = 'some words '.repeat(MIB / 12);
const AT_ONCE = 64;
/** As many as one request may change. */
const ITEMS = 100;

/** What one member does with own items: large ones, and writes that wait for each other at one row. */
export const ITEM_ATTACKS: readonly Attack[] = [
  {
    title: `a member replaces one text of a mebibyte, ${AT_ONCE} at a time`,
    needs: ['PUT 200'],
    isShort: true,
    prepare: ownItems(1),
    play: (target, stop) =>
      crowd(target, AT_ONCE, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          method: 'PUT',
          path: `/api/content/${firstOf(target)}`,
          token: target.member.token,
          body: { content: `${number} ${round} ${LARGE}` },
        })),
      ),
  },
  {
    title: `a member changes ${ITEMS} items in one request, and one of them ${AT_ONCE} at a time`,
    needs: ['POST 200', 'PUT 200'],
    prepare: ownItems(ITEMS),
    play: (target, stop) =>
      crowd(target, AT_ONCE, (person, number) =>
        person.askOnAndOn(stop, (round) => {
          const change = (id: number) => ({ action: 'update', id, change: { title: `${number} ${round}` } });
          const { token } = target.member;
          return number % 8 === 0
            ? {
                method: 'POST',
                path: '/api/content/bulk',
                token,
                body: { operations: itemsOf(target).map(change) },
              }
            : {
                method: 'PUT',
                path: `/api/content/${firstOf(target)}`,
                token,
                body: { title: `${number} ${round}` },
              };
        }),
      ),
  },
  {
    title: `a member reads earlier versions of a text of a mebibyte, ${AT_ONCE} at a time`,
    needs: ['GET 200'],
    prepare: earlierVersions,
    play: (target, stop) =>
      crowd(target, AT_ONCE, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          path: `/api/content/${firstOf(target)}/versions/${2 + ((number + round) % 3)}`,
          token: target.member.token,
        })),
      ),
  },
  {
    title: `a member changes its own name, ${AT_ONCE} at a time`,
    needs: ['PUT 200'],
    play: (target, stop) =>
      crowd(target, AT_ONCE, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          method: 'PUT',
          path: '/api/users/me',
          token: target.member.token,
          body: { display_name: `${number} ${round}` },
        })),
      ),
  },
];

const items = new WeakMap<Target, number[]>();

function ownItems(count: number): (target: Target) => Promise<void> {
  return async (target) => {
    const { url, member } = target;
    const made: number[] = [];
    while (made.length < count) made.push((await newItem(url, member.token)).id);
    items.set(target, made);
  };
}

/** Of the versions 2 to 4, each is kept as a difference from another one. */
async function earlierVersions(target: Target): Promise<void> {
  await ownItems(1)(target);
  const { url, member } = target;
  for (let version = 2; version <= 5; version++) {
    const body = { content: `${version} ${LARGE}` };
    await call(url, 'PUT', `/api/content/${firstOf(target)}`, { token: member.token, body });
  }
}

function itemsOf(target: Target): readonly number[] {
  return items.get(target) ?? [];
}

function firstOf(target: Target): number | undefined {
  return itemsOf(target)[0];
}
