import { Type } from 'typebox';
import { askedBy, askerOf, callerOf } from '../http/access.ts';
import { answers, BODY_FAILURES, ok } from '../http/envelope.ts';
import { normalised } from '../http/nfc.ts';
import { okPage, pageRequest } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { okWalk, walkRequest } from '../http/walking.ts';
import { AdminQuery, requireAdminView, toAdminUser } from './admin-contract.ts';
import { Me, MeChange, toMe, toUser, UserPage, UserQuery } from './contract.ts';
import { listUsers, walkUsers } from './list.ts';
import { listUsersForAdmins, walkUsersForAdmins } from './list-for-admins.ts';
import { findUser } from './me.ts';
import type { AccountParts } from './parts.ts';
import { columnsOf, updateMe } from './update-me.ts';

/** In bytes: a profile has 8 KiB, and each of its characters may be written as an escape. */
const MOST_BODY = 64 * 1024;

/** The list of users, and the account of the caller. */
export function accountRoutes(app: App, parts: AccountParts): void {
  const { store, searches, cursors, limits, usersList, clock } = parts;

  app.get(
    '/api/users',
    {
      config: {
        access: usersList === 'admins' ? 'admin' : 'signed_in',
        limits: [],
        shows: 'visible',
        programs: 'read',
        ignoresUnknown: true,
      },
      preValidation: requireAdminView,
      schema: {
        operationId: 'listUsers',
        tags: ['users'],
        summary: 'List and search users',
        description:
          'For every account, or only for admins where the setting USERS_LIST says so. With `view=admin` it is the list for admins.',
        querystring: Type.Object({ ...UserQuery.properties, ...AdminQuery }),
        response: answers(UserPage, 'One page of users.', 401, 403),
      },
    },
    async (request, reply) => {
      const { keyword = '', view, ...rest } = request.query;
      const walk = walkRequest(request, cursors);
      const query = { ...pageRequest(rest), keyword };
      if (view === 'admin') {
        const { userId, sessionId } = callerOf(request);
        const asked = { ...rest, ...query, caller: { userId, sessionId, now: clock() } };
        const asker = await askerOf(request);
        if (walk) {
          const step = () => store.read(walkUsersForAdmins, { ...asked, ...walk });
          return okWalk(request, reply, cursors, await searches.run(asker, step), toAdminUser);
        }
        const list = () => store.read(listUsersForAdmins, asked);
        return okPage(request, reply, await searches.run(asker, list), toAdminUser);
      }
      const inTurn = async <List>(read: () => Promise<List>) =>
        keyword === '' ? read() : searches.run(await askerOf(request), read);
      if (walk) {
        const step = await inTurn(() => store.read(walkUsers, { ...walk, keyword }));
        return okWalk(request, reply, cursors, step, toUser);
      }
      return okPage(request, reply, await inTurn(() => store.read(listUsers, query)), toUser);
    },
  );

  app.get(
    '/api/users/me',
    {
      config: { access: 'signed_in', limits: [], shows: 'own', programs: 'read', beforeSetUp: true },
      schema: {
        operationId: 'getMe',
        tags: ['users'],
        summary: 'Who am I?',
        description: 'The account behind the access token, with its role.',
        response: answers(Me, 'The account.', 401),
      },
    },
    async (request) => ok(toMe(await store.read(findUser, { id: callerOf(request).userId, now: clock() }))),
  );

  app.put(
    '/api/users/me',
    {
      bodyLimit: MOST_BODY,
      ...normalised(...Object.keys(MeChange.properties)),
      config: { access: 'signed_in', limits: ['profileChanges', 'name_change'], shows: 'own' },
      schema: {
        operationId: 'updateMe',
        tags: ['users'],
        summary: 'Change my account',
        description:
          'Changes the members that are given. Another user name asks for a sign-in of the last ten minutes. The name that is given up stays reserved for 30 days: nobody else gets it, and its former owner may take it back.',
        body: MeChange,
        response: answers(Me, 'The account as it is now.', 401, 403, ...BODY_FAILURES),
      },
    },
    async (request) => {
      const { body } = request;
      const asked = askedBy(request, clock);
      limits.spend('profileChanges', asked.caller.userId);
      const change = { username: body.username, columns: columnsOf(body) };
      return ok(toMe(await store.write(updateMe, { ...change, ...asked })));
    },
  );
}
