import type { ContentListItem, ContentSelection } from './contract.ts';

/** Members of an item that a request asks for. */
export interface Selection {
  readonly names: ReadonlySet<string>;
  /** Tells the answer from that of every other selection. The order of the names does not count. */
  readonly tag: string;
}

/** Names with commas between them. Undefined where there is no such parameter. */
export function selectionOf(fields: string | undefined): Selection | undefined {
  if (fields === undefined) return undefined;
  const names = new Set(fields.split(','));
  return { names, tag: [...names].toSorted().join('.') };
}

/** What says that a member is not whole (`content_truncated`) comes with the member. */
const CUT = '_truncated';

/** The members that were asked for, in the order of the item, and the highlights of those. */
export function selected(item: ContentListItem, selection: Selection): ContentSelection {
  const members = chosen(item, selection);
  const { highlights } = item;
  return highlights === undefined ? members : { ...members, highlights: chosen(highlights, selection) };
}

function chosen(members: object, { names }: Selection): object {
  return Object.fromEntries(
    Object.entries(members).filter(([name]) =>
      names.has(name.endsWith(CUT) ? name.slice(0, -CUT.length) : name),
    ),
  );
}
