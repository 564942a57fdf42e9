import { newItem, newName, PASSWORD } from '../../client.ts';
import { DEAR_MARKDOWN, SHORT_DEAR_MARKDOWN } from '../../dear-text.ts';
import { type Attack, crowd } from '../attack.ts';
import type { Target } from '../target.ts';

const ITEMS = 300;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const MIB = 1024 * 1024;

/** What costs work: searches, JSON, tokens and passwords. */
export const WORK_ATTACKS: readonly Attack[] = [
  {
    title: '70 strangers search content for two letters',
    needs: ['GET 200'],
    prepare: manyWords,
    play: (target, stop) =>
      crowd(target, 70, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          path: `/api/content?per_page=100&keyword=${twoLetters(number * 97 + round)}`,
        })),
      ),
  },
  {
    title: 'a member searches users and content for one letter, 64 at a time',
    needs: ['GET 200'],
    prepare: manyWords,
    play: (target, stop) =>
      crowd(target, 64, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          path: `/api/${round % 2 ? 'users' : 'content'}?per_page=100&keyword=${LETTERS[(number + round) % 26]}`,
          token: target.member.token,
        })),
      ),
  },
  {
    title: 'the most expensive JSON: nested, of many members, with many mistakes',
    needs: ['POST 400', 'POST 200'],
    play: (target, stop) => {
      const bodies = [
        '['.repeat(0.6 * MIB) + ']'.repeat(0.6 * MIB),
        `{${Array.from({ length: 90_000 }, (_, index) => `"m${index}":0`).join(',')}}`,
        `{"title":"t","content":"c","tags":[${Array(9_990).fill('0').join(',')}]}`,
        `{"title":"t","content":"${'\\u0001'.repeat(170_000)}"}`,
        `[${'{"a":{},"a":[]},'.repeat(70_000)}0]`,
      ];
      return crowd(target, 16, (person) =>
        person.askOnAndOn(stop, (round) => ({
          method: 'POST',
          path: '/api/content',
          token: target.member.token,
          body: bodies[round % bodies.length],
        })),
      );
    },
  },
  {
    title: 'a member previews Markdown that takes long, always another text, 64 at a time',
    needs: ['POST 200'],
    play: (target, stop) => {
      const texts = [...DEAR_MARKDOWN, SHORT_DEAR_MARKDOWN];
      return crowd(target, 64, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          method: 'POST',
          path: '/api/content/preview',
          token: target.member.token,
          body: { content: `${number}x${round}\n\n${texts[(number + round) % texts.length]}` },
        })),
      );
    },
  },
  {
    title: 'one token in 22,000 spellings and more',
    needs: ['GET 401'],
    isShort: true,
    reachesNoRow: true,
    play: (target, stop) =>
      crowd(target, 16, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          path: '/api/users/me',
          token: spelling(target.member.token, round * 16 + number),
        })),
      ),
  },
  {
    title: '64 strangers guess passwords, those of the honest user too',
    needs: ['POST 401'],
    play: (target, stop) =>
      crowd(target, 64, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          method: 'POST',
          path: '/api/auth/login',
          body: {
            username: round % 2 ? target.honest.username : `nobody${number}x${round}`,
            password: 'not the password',
          },
        })),
      ),
  },
  {
    title: '64 strangers register new accounts',
    needs: ['POST 200'],
    isShort: true,
    play: (target, stop) =>
      crowd(target, 64, (person) =>
        person.askOnAndOn(stop, () => {
          const username = newName('flood');
          return {
            method: 'POST',
            path: '/api/auth/register',
            body: { username, email: `${username}@example.org`, password: PASSWORD },
          };
        }),
      ),
  },
  {
    title: '64 strangers present refresh tokens that are none',
    needs: ['POST 401'],
    play: (target, stop) =>
      crowd(target, 64, (person, number) =>
        person.askOnAndOn(stop, (round) => ({
          method: 'POST',
          path: '/api/auth/refresh',
          token: `stoa_rt_${number}x${round}`,
        })),
      ),
  },
];

function twoLetters(number: number): string {
  return `${LETTERS[number % 26]}${LETTERS[Math.floor(number / 26) % 26]}`;
}

/** Items whose words begin with every pair of letters. */
async function manyWords({ url, member }: Target): Promise<void> {
  const words = Array.from({ length: 676 }, (_, index) => `${twoLetters(index)}word${index}`).join(' ');
  for (let begun = 0; begun < ITEMS; begun += 10)
    await Promise.all(Array.from({ length: 10 }, () => newItem(url, member.token, { content: words })));
}

/** The token with one of its characters as another one; each number is another spelling. */
function spelling(token: string, number: number): string {
  const at = number % token.length;
  return token.slice(0, at) + BASE64URL[Math.floor(number / token.length) % 64] + token.slice(at + 1);
}
