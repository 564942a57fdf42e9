import { accounts } from '../datasets/accounts.ts';
import type { Dataset } from '../datasets/datasets.ts';
import { PASSWORD } from '../datasets/password.ts';

export interface SignedIn {
  readonly token: string;
  readonly refreshToken: string;
}

/** The credentials of some accounts of a dataset: all before `count`, without the first ones. */
export function credentials(dataset: Dataset, count: number, without = 0) {
  return accounts(dataset.accounts)
    .take(count)
    .drop(without)
    .map(({ username }) => ({ username, password: PASSWORD }))
    .toArray();
}

/** Logs in as accounts of the dataset (`credentials`), through the interface. */
export async function signIn(
  port: number,
  dataset: Dataset,
  count: number,
  without = 0,
): Promise<SignedIn[]> {
  return Promise.all(
    credentials(dataset, count, without).map(async (body) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { data } = (await response.json()) as { data: { token: string; refresh_token: string } };
      if (response.status !== 200) throw new Error(`Logging in answered ${response.status}.`);
      return { token: data.token, refreshToken: data.refresh_token };
    }),
  );
}

/** Signs in as one account. */
export async function signInOne(port: number, dataset: Dataset): Promise<SignedIn> {
  const [one] = await signIn(port, dataset, 1);
  if (!one) throw new Error('The dataset has no account.');
  return one;
}
