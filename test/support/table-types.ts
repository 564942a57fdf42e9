import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const FILE = new URL('../../src/store/tables.ts', import.meta.url).pathname;
const SOURCES = new URL('../../src/', import.meta.url).pathname;
const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  types: [],
  lib: ['lib.es5.d.ts'],
};

/** The type `Tables` as the compiler understands it: each table with the names of its columns. */
export function tableTypes(): Map<string, string[]> {
  // All files that merge tables into the interface.
  const files = globSync(`${SOURCES}**/*.ts`).filter((file) =>
    /^ *(export )?interface Tables\b/m.test(readFileSync(file, 'utf8')),
  );
  const program = ts.createProgram(files, OPTIONS, hostWithoutSchemas());
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE);
  const declared = source?.statements.find(
    (each): each is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(each) && each.name.text === 'Tables',
  );
  if (!declared) throw new Error('There is no interface Tables.');
  const tables = checker.getTypeAtLocation(declared).getProperties();
  return new Map(
    tables.map((table) => {
      const columns = checker.getTypeOfSymbolAtLocation(table, declared).getProperties();
      return [table.name, columns.map(({ name }) => name)];
    }),
  );
}

/** No column has its name from a JSON Schema, and the types of schemas cost five times as much as all others. */
function hostWithoutSchemas(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS);
  const resolve = (literal: ts.StringLiteralLike, from: string, source: ts.SourceFile) =>
    ts.resolveModuleName(
      literal.text,
      from,
      OPTIONS,
      host,
      undefined,
      undefined,
      ts.getModeForUsageLocation(source, literal, OPTIONS),
    );
  host.resolveModuleNameLiterals = (literals, from, _redirected, _options, source) =>
    literals.map((literal) =>
      literal.text === 'typebox' ? { resolvedModule: undefined } : resolve(literal, from, source),
    );
  return host;
}
