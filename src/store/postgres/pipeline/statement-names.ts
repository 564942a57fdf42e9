/** More than all statements of Stoa. Any further statement is sent without a name, so that nothing grows for ever. */
const LIMIT = 500;

/** Gives each statement text the name under which the server keeps it prepared on every connection. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** The name of a statement; undefined for a new one when there are LIMIT names. */
  of(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= LIMIT) return known;
    const name = `stoa_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}
