/** The password of every account in the datasets. It is hashed once for all. */
export const PASSWORD = 'correct horse battery';
