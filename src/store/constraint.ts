import type { Failure } from '../domain/failure.ts';

/**
 * A unique constraint refused the write. Both engines report it under the same name,
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

/** Rethrows a broken unique constraint as the failure that `translations` names for it. */
export function translateUnique(error: unknown, translations: Record<string, () => Failure>): never {
  if (error instanceof UniqueViolation) {
    const translate = translations[error.constraint];
    if (translate) throw translate();
  }
  throw error;
}
