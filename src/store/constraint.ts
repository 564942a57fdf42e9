import type { Failure } from '../domain/failure.ts';

/**
 * A unique constraint refused the write. Both engines report the constraint under the same name, `<table>_<column>`,
 * which a feature can translate.
 */
export class UniqueViolation extends Error {
  readonly constraint: string;

  constructor(constraint: string, cause: unknown) {
    super(`unique constraint ${constraint}`, { cause });
    this.name = 'UniqueViolation';
    this.constraint = constraint;
  }
}

/** Throws the failure for the broken constraint in `translations`, or the error itself. */
export function translateUnique(error: unknown, translations: Record<string, () => Failure>): never {
  if (error instanceof UniqueViolation) {
    const translate = translations[error.constraint];
    if (translate) throw translate();
  }
  throw error;
}
