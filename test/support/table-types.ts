import ts from 'typescript';

const FILE = new URL('../../src/store/tables.ts', import.meta.url).pathname;
/** Imports, with its own imports, all files that merge tables into the interface. */
const FEATURES = new URL('../../src/features.ts', import.meta.url).pathname;

/** The type `Tables` as the compiler understands it: each table with the names of its columns. */
export function tableTypes(): Map<string, string[]> {
  const program = ts.createProgram([FILE, FEATURES], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    types: [],
  });
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
