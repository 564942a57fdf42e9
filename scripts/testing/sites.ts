import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A place in a test file where a test is written down: a call of `it` or `test`. */
export interface Site {
  readonly file: string;
  /** Counted from 1, as the events of the test runner count. */
  readonly line: number;
  readonly title: string;
}

/** Every test that the file contains, as its source says, whether or not the file runs it. */
export function sitesOf(file: string): Site[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const sites: Site[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTestFunction(node.expression)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      sites.push({ file, line: line + 1, title: node.arguments[0]?.getText(source) ?? '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

/** `it` and `test`, also with a word behind them, such as `it.skip`. */
function isTestFunction(called: ts.Expression): boolean {
  const name = ts.isPropertyAccessExpression(called) ? called.expression : called;
  return ts.isIdentifier(name) && (name.text === 'it' || name.text === 'test');
}
