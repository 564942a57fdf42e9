export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one setting; undefined where it is wrong, which is remembered. */
export type Setting = <Value>(
  name: string,
  fallback: string,
  parse: (text: string) => Value,
) => Value | undefined;
