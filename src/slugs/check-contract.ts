import { type Static, Type } from 'typebox';

declare module '../http/service.ts' {
  interface Details {
    slugs: typeof NamingState;
  }
}

export const NamingState = Type.Enum(['ok', 'naming'], {
  type: 'string',
  description: '"naming" while content items of an older version of Stoa are still to get their slugs.',
});
export type NamingState = Static<typeof NamingState>;
