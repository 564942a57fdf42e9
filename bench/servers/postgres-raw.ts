import { Client } from 'pg';

/** As many as one instance of the service opens. */
const CONNECTIONS = 10;
const SECONDS = 3;
const KILOBYTE = 'x'.repeat(1_000);

/**
 * The rate of the database without the service: the same driver, the same number of connections, prepared statements,
 * one at a time on each. Returns a line for each kind of statement.
 */
export async function rawRates(url: string): Promise<string[]> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(url)));
  const [first] = clients;
  await first?.query('CREATE TABLE raw (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content TEXT)');
  await first?.query("INSERT INTO raw (content) SELECT repeat('x', 1000) FROM generate_series(1, 1000)");
  const read = await rate(clients, (client, turn) =>
    client.query({
      name: 'read',
      text: 'SELECT id, content FROM raw WHERE id = $1',
      values: [1 + (turn % 1000)],
    }),
  );
  const write = await rate(clients, (client) =>
    client.query({ name: 'write', text: 'INSERT INTO raw (content) VALUES ($1)', values: [KILOBYTE] }),
  );
  await Promise.all(clients.map((client) => client.end()));
  const how = `with ${CONNECTIONS} connections of the same driver`;
  return [
    `raw database: ${read}/s statements that read 1 KB by its key, ${how}`,
    `raw database: ${write}/s statements that insert 1 KB, each committed to disk, ${how}`,
  ];
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function rate(
  clients: readonly Client[],
  statement: (client: Client, turn: number) => Promise<unknown>,
): Promise<string> {
  const end = performance.now() + SECONDS * 1000;
  let done = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) await statement(client, done++);
    }),
  );
  return Math.round(done / SECONDS).toLocaleString('en');
}
