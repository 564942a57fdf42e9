import assert from 'node:assert/strict';
import { it } from 'node:test';
import { events } from '../../console/src/text/events.en.ts';
import { webhooks } from '../../console/src/text/webhooks.en.ts';
import { EVENTS as CHOICES } from '../../console/src/webhooks/wanted.ts';
import { EVENTS } from '../../src/services/audit/events.ts';
import { WANTED } from '../../src/webhooks/messages.ts';

it('Every security event has a name in the console, so the trail can be filtered by it', () => {
  assert.deepEqual(Object.keys(events).toSorted(), EVENTS.map((event) => `event.${event}`).toSorted());
});

it('A webhook can be given every event in the console, and each has a name', () => {
  assert.deepEqual(['*', ...CHOICES], WANTED);
  for (const event of CHOICES) assert.ok(Object.hasOwn(webhooks, `webhooks.on.${event}`), event);
});
