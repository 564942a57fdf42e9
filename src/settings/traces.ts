/** The settings of traces have the names that all programs with OpenTelemetry know. */

/** The URL of the traces below the address of a collector; undefined for an empty text. */
export function traceUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new Error('must be the http or https URL of a collector, such as http://127.0.0.1:4318.');
  return `${url.href.replace(/\/+$/, '')}/v1/traces`;
}

/** `<name>=<value>,...` with percent-encoded values. */
export function traceHeaders(text: string): Readonly<Record<string, string>> {
  if (text === '') return {};
  const pairs = text.split(',').map((pair) => /^\s*([\w-]+)=([\x21-\x7e]+)\s*$/.exec(pair));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = pair ?? [];
      if (name !== undefined && value !== undefined && isDecodable(value))
        return [name, decodeURIComponent(value)];
      throw new Error('must be <name>=<value>,<name>=<value> with percent-encoded values.');
    }),
  );
}

export function ratio(text: string): number {
  const value = Number(text);
  if (/^\d(\.\d+)?$/.test(text) && value <= 1) return value;
  throw new Error(`must be a number from 0 to 1, not "${text}".`);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
