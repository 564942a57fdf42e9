import { connect } from './connect.ts';

/** Does the database have Stoa's schema, of any version? Fails with OperatorError where it cannot be reached. */
export async function hasSchema(url: string): Promise<boolean> {
  const client = await connect(url);
  try {
    const { rows } = await client.query(
      `SELECT to_regclass('migrations') IS NOT NULL AND to_regclass('signing_keys') IS NOT NULL AS ours`,
    );
    return rows[0]?.ours === true;
  } finally {
    await client.end().catch(() => {});
  }
}
