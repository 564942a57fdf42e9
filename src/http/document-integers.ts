/**
 * For `JSON.stringify`: gives each schema of an integer the format `int64`. Without a format, generators make integers of
 * 32 bits, which overflow at 2 GiB. The validators of the service never see the format. An `enum` says itself how wide it is.
 */
export function asWide(_key: string, part: unknown): unknown {
  const { type, enum: values, format }: Record<string, unknown> = Object(part);
  const isInteger = [type].flat().includes('integer') && values === undefined && format === undefined;
  return isInteger ? { ...Object(part), format: 'int64' } : part;
}
