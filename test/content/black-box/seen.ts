import { newName } from '../../support/client.ts';

/** A word that no other test writes. */
export const newWord = () => newName('word');

/** The ids of a page, in its order. */
export const idsOf = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id);
