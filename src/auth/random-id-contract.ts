import { Type } from 'typebox';

/** The `id` of a path, as `newRandomId` makes it: no secret, nothing can be done with it alone. */
export const RandomIdParams = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{11}$', description: 'Identifier.' }),
});
