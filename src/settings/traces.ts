/** The settings of traces have the names that all programs with OpenTelemetry know. */

/** The URL of the traces below the address of a collector; undefined for an empty text. */
export function traceUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isPlain = url && [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isPlain || !/^https?:$/.test(url.protocol))
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
      if (name !== undefined && value !== undefined && isHeaderText(value))
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

/** A header has one line. */
function isHeaderText(text: string): boolean {
  try {
    return /^[\x20-\x7e]+$/.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}
