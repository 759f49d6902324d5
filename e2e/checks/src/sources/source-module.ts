import type { SourceFile } from './source-file.ts';
import {
  bare,
  child,
  children,
  expressions,
  nodesOf,
  parse,
  textOf,
  type SyntaxNode,
} from './syntax.ts';
import { testNamesOf } from './test-names.ts';

/** One import or re-export of a module. */
export interface Import {
  /** `undefined` for a dynamic import whose specifier is computed. */
  readonly specifier: string | undefined;
  /** True if the import does not exist at run time. `import { type A }` still loads the module. */
  readonly typeOnly: boolean;
}

/** The facts about a source file that the checks use. */
export interface SourceModule {
  readonly path: string;
  readonly imports: readonly Import[];
  /** The specifiers of types such as `import('./a.ts').A`, but not `typeof import('./a.ts')`. */
  readonly inlineTypes: readonly string[];
  /** `name`, `type Name`, or `*` for a star export. Sorted. */
  readonly exports: readonly string[];
  /** The names of the tests that run, without computed parts. */
  readonly testNames: readonly string[];
  /** The keys of each object literal that a variable is declared with, by the name of the variable. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Every string literal of the file. */
  readonly strings: ReadonlySet<string>;
  /** The names of all members that are accessed with a dot. */
  readonly members: ReadonlySet<string>;
}

/** Parses a file once for all checks. */
export function parseModule(file: SourceFile): SourceModule {
  const tree = parse(file.text);
  const nodes = nodesOf(tree);
  return {
    path: file.path,
    imports: importsOf(nodes),
    inlineTypes: textsOfInlineTypes(nodes),
    exports: children(tree, 'body')
      .flatMap((item) => exportsOf(item))
      .toSorted(),
    testNames: testNamesOf(nodes),
    tables: tablesOf(nodes),
    strings: textsOf(nodes, literalOf),
    members: textsOf(nodes, (node) =>
      node.type === 'MemberExpression' ? textOf(child(node, 'property')) : undefined,
    ),
  };
}

function importsOf(nodes: readonly SyntaxNode[]): Import[] {
  return nodes.flatMap((node) => importOf(node) ?? []);
}

function importOf(node: SyntaxNode): Import | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration': {
      const specifier = textOf(child(node, 'source'));
      return specifier === undefined
        ? undefined
        : { specifier, typeOnly: node['typeOnly'] === true };
    }
    case 'TsImportType':
      return { specifier: textOf(child(node, 'argument')), typeOnly: true };
    case 'TsExternalModuleReference':
      return { specifier: textOf(child(node, 'expression')), typeOnly: false };
    case 'CallExpression':
      return loads(child(node, 'callee'))
        ? { specifier: literalOf(expressions(node, 'arguments')[0]), typeOnly: false }
        : undefined;
    default:
      return undefined;
  }
}

function textsOfInlineTypes(nodes: readonly SyntaxNode[]): string[] {
  return nodes.flatMap((node) =>
    node.type === 'TsImportType' && child(node, 'qualifier') !== undefined
      ? (textOf(child(node, 'argument')) ?? [])
      : [],
  );
}

function loads(callee: SyntaxNode | undefined): boolean {
  return (
    callee?.type === 'Import' || (callee?.type === 'Identifier' && textOf(callee) === 'require')
  );
}

function literalOf(node: SyntaxNode | undefined): string | undefined {
  return node?.type === 'StringLiteral' ? textOf(node) : undefined;
}

function exportsOf(node: SyntaxNode): string[] {
  switch (node.type) {
    case 'ExportAllDeclaration':
      return ['*'];
    case 'ExportDefaultDeclaration':
    case 'ExportDefaultExpression':
      return ['default'];
    case 'ExportNamedDeclaration':
      return children(node, 'specifiers').map((specifier) => specifierName(node, specifier));
    case 'ExportDeclaration':
      return declaredNames(child(node, 'declaration'));
    default:
      return [];
  }
}

function specifierName(node: SyntaxNode, specifier: SyntaxNode): string {
  const name = ['exported', 'name', 'orig'].map((member) => textOf(child(specifier, member)));
  const isType = node['typeOnly'] === true || specifier['isTypeOnly'] === true;
  return `${isType ? 'type ' : ''}${name.find((found) => found !== undefined) ?? '*'}`;
}

function declaredNames(declaration: SyntaxNode | undefined): string[] {
  const name = textOf(child(declaration, 'identifier')) ?? textOf(child(declaration, 'id'));
  if (name === undefined) {
    return children(declaration, 'declarations').flatMap((one) => textOf(child(one, 'id')) ?? []);
  }
  return [/^Ts(?:Interface|TypeAlias)/.test(declaration?.type ?? '') ? `type ${name}` : name];
}

function tablesOf(nodes: readonly SyntaxNode[]): Map<string, string[]> {
  const tables = new Map<string, string[]>();
  for (const node of nodes) {
    const value = node.type === 'VariableDeclarator' ? bare(child(node, 'init')) : undefined;
    const name = textOf(child(node, 'id'));
    if (value?.type !== 'ObjectExpression' || name === undefined) continue;
    tables.set(
      name,
      children(value, 'properties').flatMap((property) => textOf(child(property, 'key')) ?? []),
    );
  }
  return tables;
}

function textsOf(
  nodes: readonly SyntaxNode[],
  textIn: (node: SyntaxNode) => string | undefined,
): Set<string> {
  return new Set(nodes.flatMap((node) => textIn(node) ?? []));
}
