export const PER_PAGE = 20;
export const ROLES = ['member', 'editor', 'admin'] as const;
export const STATES = ['active', 'disabled', 'closed'] as const;
export const SORTS = ['id', '-id', 'username', '-created_at', '-last_sign_in_at'] as const;

/** The query of the list, as the address of the page has it. What the service would not take is left out. */
export function queryOf(address: Readonly<Record<string, string | undefined>>) {
  const page = Number(address.page);
  const one = <Name extends string>(names: readonly Name[], name: string | undefined) =>
    names.find((each) => each === name);
  const [role, state, sort] = [
    one(ROLES, address.role),
    one(STATES, address.state),
    one(SORTS, address.sort),
  ];
  return {
    view: 'admin' as const,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    per_page: PER_PAGE,
    ...(address.keyword && { keyword: address.keyword }),
    ...(role && { role }),
    ...(state && { state }),
    ...(sort && { sort }),
  };
}
