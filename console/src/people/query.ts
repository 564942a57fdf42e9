export const PER_PAGE = 20;
export const ROLES = ['member', 'editor', 'admin'] as const;
export const STATES = ['active', 'disabled', 'closed'] as const;
export const SORTS = ['id', '-id', 'username', '-created_at', '-last_sign_in_at'] as const;

type Address = Readonly<Record<string, string | undefined>>;

/** The filters of the list, as the address of the page has them. What the service would not take is left out. */
export function filterOf(address: Address) {
  const one = <Name extends string>(names: readonly Name[], name: string | undefined) =>
    names.find((each) => each === name);
  const [role, state] = [one(ROLES, address.role), one(STATES, address.state)];
  return {
    view: 'admin' as const,
    ...(address.keyword && { keyword: address.keyword }),
    ...(role && { role }),
    ...(state && { state }),
  };
}

/** The whole query of a page of the list. */
export function queryOf(address: Address) {
  const page = Number(address.page);
  const sort = SORTS.find((each) => each === address.sort);
  return {
    ...filterOf(address),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    per_page: PER_PAGE,
    ...(sort && { sort }),
  };
}
