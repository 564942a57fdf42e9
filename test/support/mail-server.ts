import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import type { Lifetime } from './engines.ts';

/** A mail as its server got it, decoded. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The headers, one a line. */
  readonly head: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A real mail server. */
export interface MailServer {
  /** What the service needs to send mails there. */
  readonly settings: { readonly SMTP_URL: string; readonly MAIL_FROM: string; readonly PUBLIC_URL: string };
  readonly received: readonly ReceivedMail[];
  /** The next mail that comes, or that came and was not asked for yet. */
  readonly next: () => Promise<ReceivedMail>;
  /** The next mail to this address that comes, or that came and was not asked for here yet. */
  readonly nextTo: (address: string) => Promise<ReceivedMail>;
  /** Mails that were refused so far. */
  readonly refused: () => number;
  /** Refuses each mail with this sentence, which may repeat the mail as `$`; undefined takes them again. */
  readonly refuse: (sentence: string | undefined) => void;
  /** Answers RCPT with this reply, such as `553 5.1.3 no such address`, for addresses that begin so. */
  readonly refuseRecipient: (beginning: string, reply: string) => void;
  readonly stop: () => Promise<void>;
  /** Listens again on the port that it had. */
  readonly start: () => Promise<void>;
}

/**
 * How long a test waits for a mail. Where a request was refused, its mail never comes, and the failure should say so
 * before the time of the test is over.
 */
const LIMIT_MS = 100_000;

/** With `tls`, a key and its certificate, the server speaks TLS from the first byte. */
export async function startMailServer(
  t: Lifetime,
  tls?: { readonly key: string; readonly cert: string },
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const all = new Box();
  const boxes = new Map<string, Box>();
  const refusedRecipients = new Map<string, string>();
  let [refused, port] = [0, 0];
  let refusal: string | undefined;
  let server: SMTPServer | undefined;

  const start = async () => {
    server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      ...(tls && { secure: true, ...tls }),
      logger: false,
      onRcptTo: ({ address }, _session, done) => {
        const reply = [...refusedRecipients].find(([beginning]) => address.startsWith(beginning))?.[1];
        if (reply === undefined) return done();
        refused++;
        const [code, ...sentence] = reply.split(' ');
        done(Object.assign(new Error(sentence.join(' ')), { responseCode: Number(code) }));
      },
      onData: (stream, { envelope }, done) => {
        void text(stream).then((source) => {
          if (refusal !== undefined) {
            refused++;
            return done(
              Object.assign(new Error(refusal.replace('$', decoded(source))), { responseCode: 554 }),
            );
          }
          const { mailFrom, rcptTo } = envelope;
          const mail = parsed(
            mailFrom ? mailFrom.address : '',
            rcptTo.map(({ address }) => address),
            source,
          );
          received.push(mail);
          all.put(mail);
          for (const address of mail.to) boxOf(boxes, address).put(mail);
          done();
        });
      },
    });
    // Connections that break are the business of whoever sends.
    server.on('error', () => {});
    const listening = server.listen(port, '127.0.0.1');
    await once(listening, 'listening');
    port = (listening.address() as AddressInfo).port;
  };
  const stop = () => new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()));
  await start();
  t.after(stop);
  return {
    settings: {
      SMTP_URL: `${tls ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
      MAIL_FROM: 'Stoa <stoa@example.org>',
      PUBLIC_URL: 'https://stoa.example',
    },
    received,
    next: () => all.take('to any address', received),
    nextTo: (address) => boxOf(boxes, address).take(`to ${address}`, received),
    refused: () => refused,
    refuse: (sentence) => {
      refusal = sentence;
    },
    refuseRecipient: (beginning, reply) => {
      refusedRecipients.set(beginning, reply);
    },
    stop,
    start,
  };
}

/** What came to one address, or to all. */
class Box {
  readonly #mails: ReceivedMail[] = [];
  readonly #waiting: ((mail: ReceivedMail) => void)[] = [];

  put(mail: ReceivedMail): void {
    const wanted = this.#waiting.shift();
    if (wanted) wanted(mail);
    else this.#mails.push(mail);
  }

  /** The next mail. Rejects after LIMIT_MS, and names the mails that came. */
  take(what: string, received: readonly ReceivedMail[]): Promise<ReceivedMail> {
    const mail = this.#mails.shift();
    if (mail) return Promise.resolve(mail);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const came = received.map(({ to, subject }) => `"${subject}" to ${to.join(', ')}`);
        reject(
          new Error(`No mail ${what} came in ${LIMIT_MS} ms. These came: ${came.join('; ') || 'none'}.`),
        );
      }, LIMIT_MS).unref();
      this.#waiting.push((next) => {
        clearTimeout(timer);
        resolve(next);
      });
    });
  }
}

/** In any case: nodemailer writes domains in lower case. */
function boxOf(boxes: Map<string, Box>, address: string): Box {
  const key = address.toLowerCase();
  const box = boxes.get(key) ?? new Box();
  boxes.set(key, box);
  return box;
}

function parsed(from: string, to: readonly string[], source: string): ReceivedMail {
  const [head = ''] = source.split('\r\n\r\n', 1);
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(head) ?? [];
  const parts = source.split(`--${boundary}`).slice(1, -1);
  const part = (type: string) => {
    const found = parts.find((each) => each.includes(`Content-Type: ${type}`)) ?? '';
    return decoded(found.slice(found.indexOf('\r\n\r\n') + 4));
  };
  const [, subject = ''] = /^Subject: (.*)$/m.exec(head) ?? [];
  return { from, to, head, subject: subject.trim(), text: part('text/plain'), html: part('text/html') };
}

/** Out of quoted-printable (RFC 2045). */
function decoded(body: string): string {
  return body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\r\n', '\n');
}
