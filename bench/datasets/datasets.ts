/** The amount of data for a row. */
export interface Dataset {
  readonly name: string;
  readonly accounts: number;
  readonly items: number;
}

export interface Datasets {
  /** Accounts without items, in several sizes, which show whether the cost grows with their number. */
  readonly growing: readonly [smallest: Dataset, ...Dataset[]];
  /** The largest of `growing`: a million accounts, except in QUICK. */
  readonly million: Dataset;
  /** A thousand accounts and their items of a kilobyte each. */
  readonly items: Dataset;
}

const accountsOnly = (accounts: number): Dataset => ({ name: `accounts-${accounts}`, accounts, items: 0 });
const withItems = (items: number): Dataset => ({ name: `items-${items}`, accounts: 1_000, items });

/** The sizes that the promises name. */
export const FULL = datasets([1_000, 10_000, 100_000], 1_000_000, 100_000);
/** The same without the sizes between, for databases that take longer to build. */
export const SMALL_AND_LARGE = datasets([1_000], 1_000_000, 100_000);
/** Enough to see that every row runs. The figures mean nothing. */
export const QUICK = datasets([1_000], 20_000, 2_000);

function datasets([first, ...others]: readonly [number, ...number[]], most: number, items: number): Datasets {
  const million = accountsOnly(most);
  return {
    growing: [accountsOnly(first), ...others.map(accountsOnly), million],
    million,
    items: withItems(items),
  };
}
