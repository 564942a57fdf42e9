import type { Failure } from '../domain/failure.ts';

/**
 * A unique constraint refused the write. Both engines report the constraint under the same name,
 * `<table>_<column>` (`users_username_key`), so that a feature can translate it.
 */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`unique constraint ${constraint}`, { cause });
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}

/** Throws the failure that `translations` has for the broken constraint, or the error itself where it has none. */
export function translateUnique(error: unknown, translations: Record<string, () => Failure>): never {
  if (error instanceof UniqueViolation) {
    const translate = translations[error.constraint];
    if (translate) throw translate();
  }
  throw error;
}
