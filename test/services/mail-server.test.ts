import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { refusalOf, sendMail } from '../../src/services/mail/send.ts';
import { parseSmtpUrl, type SmtpServer } from '../../src/services/mail/settings.ts';
import { startMailServer } from '../support/mail-server.ts';

const MAIL = {
  id: 'id',
  recipient: 'ada@example.org',
  subject: 'Hello',
  text: 'Hello\n',
  html: '<p>Hello</p>',
};
const log = { info: () => {}, warn: () => {} };

/** Hands the mail to a server at 127.0.0.1. */
function send(
  server: Pick<SmtpServer, 'port' | 'tls'>,
  signal = new AbortController().signal,
): Promise<void> {
  const from = { name: 'Stoa', address: 'stoa@example.org' };
  return sendMail({ server: { host: '127.0.0.1', ...server }, from }, MAIL, { log, signal });
}

describe('Mail servers', { concurrency: true }, () => {
  it('A mail server is reached over TLS, unless it is local or the setting says otherwise', () => {
    const tlsOf = (text: string) => {
      const server = parseSmtpUrl(text);
      assert.ok(typeof server === 'object', text);
      return [server.tls, server.port];
    };
    assert.deepEqual(tlsOf('smtps://mail.example.org'), ['always', 465]);
    assert.deepEqual(tlsOf('smtps://127.0.0.1:4650/'), ['always', 4650]);
    assert.deepEqual(tlsOf('smtp://mail.example.org'), ['required', 587]);
    assert.deepEqual(tlsOf('smtp://mail.example.org:25?tls=off'), ['off', 25]);
    for (const host of ['127.0.0.1', '127.8.0.1', '[::1]', 'localhost'])
      assert.deepEqual(tlsOf(`smtp://${host}:1025`), ['off', 1025]);
  });

  it('A mail server gets the decoded name and password of the setting', () => {
    const server = parseSmtpUrl('smtps://ada%40example.org:p%2F%3A@mail.example.org');
    assert.deepEqual(server, {
      host: 'mail.example.org',
      port: 465,
      tls: 'always',
      auth: { user: 'ada@example.org', pass: 'p/:' },
    });
  });

  it('A mail server without TLS gets no mail where TLS is required', async (t) => {
    const server = await startMailServer(t);
    const port = Number(new URL(server.settings.SMTP_URL).port);
    await assert.rejects(send({ port, tls: 'required' }), (error) => refusalOf(error).startsWith('ETLS'));
    assert.equal(server.received.length, 0);
    await send({ port, tls: 'off' });
    assert.equal((await server.next()).text.trim(), 'Hello');
  });

  it('A silent mail server is disconnected when the service stops', async (t) => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const stopping = new AbortController();
    const { port } = silent.address() as AddressInfo;
    const sending = send({ port, tls: 'off' }, stopping.signal);
    const [socket]: Socket[] = await once(silent, 'connection');
    assert.ok(socket);
    socket.resume();
    const left = once(socket, 'close');
    stopping.abort();
    await assert.rejects(sending, (error) => refusalOf(error) === 'EABORT');
    await left;
  });
});
