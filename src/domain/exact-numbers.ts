import { invalid } from './failure.ts';

/**
 * Fails with `validation_failed` where a member that is kept as JSON has a number that may come back as another one, such
 * as an id that has lost its last digits. `field` is the name of the member.
 */
export function requireExactNumbers(field: string, value: unknown): void {
  if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) requireExactNumbers(field, each);
  const size = typeof value === 'number' ? Math.abs(value) : 0;
  // Infinity is null in JSON. What JSON writes with an exponent is no id.
  if (size !== Infinity && (size <= Number.MAX_SAFE_INTEGER || size >= 1e21)) return;
  const message = `${field} must not have a number that would come back as another one; put it in quotes.`;
  throw invalid([{ field, rule: 'number', message }]);
}
