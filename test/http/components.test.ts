import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { Type } from 'typebox';
import { Admission } from '../../src/domain/admission/admission.ts';
import { BoundedLog } from '../../src/domain/bounded-log.ts';
import { createServer } from '../../src/http/server.ts';

const logger = pino({ level: 'silent' });
const server = () =>
  createServer({
    logger,
    slow: new BoundedLog(logger),
    trustProxy: false,
    publicUrl: undefined,
    corsOrigins: [],
    formats: {},
    admission: new Admission(1),
    failures: {},
  });
const named = (member: string) => Type.Object({ [member]: Type.String() }, { $id: 'Noun' });
const handler = () => assert.fail('Nobody asks.');

it('Two different schemas of one name stop the start, and one shared schema does not', () => {
  const app = server();
  app.get('/one', { schema: { response: { 200: named('a') } } }, handler);
  app.get('/list', { schema: { response: { 200: Type.Array(named('a')) } } }, handler);
  assert.deepEqual(Object.keys(app.getSchemas()), ['Noun']);
  const other = () => app.get('/other', { schema: { response: { 200: named('b') } } }, handler);
  assert.throws(other, /Two different schemas have the name "Noun"/);
});
