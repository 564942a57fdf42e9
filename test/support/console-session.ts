/** One command of a session in a document, and the output that the document shows for it. */
export interface Step {
  readonly command: string;
  readonly expected: string;
}

/**
 * The session of a document: all of its ```console blocks under the heading are one shell's. A line that
 * begins with "$ " is a command, which goes on where a line ends with a backslash; the rest is its output.
 */
export function readSession(markdown: string, heading: string): Step[] {
  const section = sectionOf(markdown, heading);
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.split(/^\$ /m).slice(1).map(toStep));
}

function sectionOf(markdown: string, heading: string): string {
  const [, after] = markdown.split(new RegExp(`^${RegExp.escape(heading)}$`, 'm'));
  if (after === undefined) throw new Error(`There is no heading "${heading}".`);
  return after.split(/^## /m)[0] ?? '';
}

function toStep(text: string): Step {
  const [, command = '', expected = ''] = /^((?:[^\n]*\\\n)*[^\n]*)\n?(.*)$/s.exec(text) ?? [];
  return { command, expected: expected.trimEnd() };
}

/** Does the output fit? "…" in the document stands for any run of characters. */
export function matches(expected: string, output: string): boolean {
  return new RegExp(`^${expected.split('…').map(RegExp.escape).join('.*?')}$`, 's').test(output);
}

/** A bash script that runs the commands in one shell and prints the mark after each, on a line of its own. */
export function toScript(steps: readonly Step[], mark: string): string {
  return steps.map(({ command }) => `${command}\nprintf '\\n%s\\n' '${mark}'`).join('\n');
}
