/** What spans say of a statement, by the conventions of OpenTelemetry for databases. */
export interface StatementText {
  /** The statement without any value. */
  readonly text: string;
  /** What it does, to which tables: "SELECT content users". */
  readonly summary: string;
}

/** A list of a thousand ids has as many placeholders. */
const LONGEST_TEXT = 2_000;
/** The bound of the conventions. */
const LONGEST_SUMMARY = 255;
/** Texts that are known, because most statements are run again and again. */
const KNOWN = 1_000;

/** Names in quotes, texts in quotes, and numbers that are no part of a name or a placeholder. */
const QUOTED_OR_NUMBER = /"(?:[^"]|"")*"|'(?:[^']|'')*'|(?<![\w$])\d+(?:\.\d+)?/g;
/** A verb, or a table after the word that announces one. `UPDATE` also locks rows, and is a part of an upsert. */
const VERB_OR_TABLE =
  /\b(?:(?<verb>select|insert|delete)|(?:(?<!distinct )from|into|join|(?<!for |key |do )(?<update>update)) (?<table>[\w".]+))/gi;

const known = new Map<string, StatementText>();

/** The text and the summary of a statement. Each value in it becomes "?", as do constants of the code. */
export function statementText(sql: string): StatementText {
  let made = known.get(sql);
  if (!made) {
    made = textOf(sql);
    if (known.size >= KNOWN) known.clear();
    known.set(sql, made);
  }
  return made;
}

function textOf(sql: string): StatementText {
  const text = sql
    .replaceAll(QUOTED_OR_NUMBER, (found) => (found.startsWith('"') ? found : '?'))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return { text: text.slice(0, LONGEST_TEXT), summary: summaryOf(text) };
}

function summaryOf(text: string): string {
  const words = [...text.matchAll(VERB_OR_TABLE)].flatMap(({ groups = {} }) => {
    const { verb = groups.update, table } = groups;
    return [verb?.toUpperCase(), table?.replaceAll('"', '')].filter((word) => word !== undefined);
  });
  if (words.length > 1) return shortened(words.join(' '));
  // Such as COMMIT, and the wait for a lock: "SELECT pg_advisory_xact_lock".
  const [, verb = '', called = ''] = /^(\w+)(?: (\w+)\()?/.exec(text) ?? [];
  return shortened(`${verb.toUpperCase()} ${called}`.trim());
}

/** Ends with a whole word. */
function shortened(summary: string): string {
  return summary.length > LONGEST_SUMMARY
    ? summary.slice(0, LONGEST_SUMMARY + 1).replace(/ \S*$/, '')
    : summary;
}
