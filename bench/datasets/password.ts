/** The password of every account in the datasets; it is hashed once for all of them. */
export const PASSWORD = 'correct horse battery';
