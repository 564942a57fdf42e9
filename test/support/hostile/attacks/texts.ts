import { newItem } from '../../client.ts';
import { dearText } from '../../dear-text.ts';
import { type Attack, crowd } from '../attack.ts';

const MARKS = '\u0301\u0316';
const TITLE = `a${MARKS.repeat(99)}`;
const TAGS = Array.from({ length: 32 }, (_, index) => `${index}${MARKS.repeat(31)}`);
const NAME = `a${MARKS.repeat(850)}`;

/** Texts that are dear to fold, in each field that is folded, as long as the field may be. */
export const TEXT_ATTACKS: readonly Attack[] = [
  {
    title: 'a member posts the most expensive content, titles and tags, eight at a time',
    needs: ['POST 200'],
    play: (target, stop) =>
      crowd(target, 8, (person) =>
        person.askOnAndOn(stop, () => ({
          method: 'POST',
          path: '/api/content',
          token: target.member.token,
          body: { title: TITLE, content: dearText('walnut'), category: MARKS.repeat(32), tags: TAGS },
        })),
      ),
  },
  {
    title: 'a member changes one item to the most expensive text, again and again',
    needs: ['PUT 200'],
    play: async (target, stop) => {
      const { id } = await newItem(target.url, target.member.token);
      const body = { title: TITLE, content: dearText('walnut'), tags: TAGS };
      await crowd(target, 8, (person) =>
        person.askOnAndOn(stop, () => ({
          method: 'PUT',
          path: `/api/content/${id}`,
          token: target.member.token,
          body,
        })),
      );
    },
  },
  {
    title: '64 strangers search for the most expensive keywords, categories and tags',
    needs: ['GET 200'],
    play: (target, stop) =>
      crowd(target, 64, (person) => {
        const text = (length: number) => encodeURIComponent(`a${MARKS.repeat(length)}`);
        const queries = [`keyword=${text(49)}`, `category=${text(31)}`, `tag=${text(31)}`];
        return person.askOnAndOn(stop, (round) => ({
          path: `/api/content?${queries[round % queries.length]}`,
        }));
      }),
  },
  {
    title: '64 strangers register and sign in with the most expensive names, addresses and passwords',
    needs: ['POST 401', 'POST 400'],
    play: (target, stop) =>
      crowd(target, 64, (person) =>
        person.askOnAndOn(stop, (round) =>
          round % 2 === 0
            ? {
                method: 'POST',
                path: '/api/auth/login',
                body: { username: NAME, password: NAME.slice(0, 200) },
              }
            : {
                method: 'POST',
                path: '/api/auth/register',
                body: {
                  username: NAME.slice(0, 20),
                  email: `${NAME.slice(0, 400)}@x.org`,
                  password: NAME.slice(0, 256),
                },
              },
        ),
      ),
  },
];
