export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one setting. Undefined for a wrong one, which is remembered. */
export type Setting = <Value>(
  name: string,
  fallback: string,
  parse: (text: string) => Value,
) => Value | undefined;
