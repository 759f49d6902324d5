import { posix } from 'node:path';
import { transformSync } from '@swc/core';

import { readSource, type SourceFile } from '../sources/source-file.ts';
import { child, children, parse, textOf, type SyntaxNode } from '../sources/syntax.ts';

/** The place where a name comes from: another module, and the name that it has there. */
export interface NameOrigin {
  /** The path of a source from the root, or the name of a package. */
  readonly module: string;
  readonly name: string;
}

/** The declarations, imports and exports of a module, as its declaration file has them. */
export interface DeclarationFile {
  /** The statements that declare a name; a function with overloads has several. */
  readonly declarations: ReadonlyMap<string, readonly SyntaxNode[]>;
  /** The names of the declarations that have `export`. */
  readonly exported: ReadonlySet<string>;
  /** Local names of imports. */
  readonly imports: ReadonlyMap<string, NameOrigin>;
  /** The names of the export lists, `export { a }` and `export { a } from './a.ts'`. A local name has its own module. */
  readonly exports: ReadonlyMap<string, NameOrigin>;
}

/**
 * Reads the declarations of one source, without a type-check: `isolatedDeclarations` guarantees that they depend on this
 * source alone. Throws for a source that swc cannot declare.
 */
export function readDeclarationFile({ path, text }: SourceFile): DeclarationFile {
  const body = children(parse(declarationText({ path, text })), 'body');
  const originOf = (source: SyntaxNode | undefined, name: string): NameOrigin => ({
    module: resolved(path, textOf(source)),
    name,
  });
  const declared = body.flatMap((node) => declaredNames(node).map((name) => ({ name, node })));
  const groups = Map.groupBy(declared, ({ name }) => name);
  return {
    declarations: new Map(
      [...groups].map(([name, found]) => [name, found.map(({ node }) => node)]),
    ),
    exported: new Set(
      declared.filter(({ node }) => node.type === 'ExportDeclaration').map(({ name }) => name),
    ),
    imports: new Map(
      specifiersOf(body, 'ImportDeclaration').map(({ node, specifier }) => [
        textOf(child(specifier, 'local')) ?? '',
        originOf(child(node, 'source'), importedName(specifier)),
      ]),
    ),
    exports: new Map(
      specifiersOf(body, 'ExportNamedDeclaration').map(({ node, specifier }) => {
        const original = textOf(child(specifier, 'orig')) ?? '*';
        const name = textOf(child(specifier, 'exported')) ?? original;
        return [name, originOf(child(node, 'source'), original)];
      }),
    ),
  };
}

/** Returns a function that reads the sources of one package, each once. */
export function packageReader(folder: string): (module: string) => DeclarationFile | undefined {
  const files = new Map<string, DeclarationFile>();
  return (module) => {
    if (!module.startsWith(`${folder}/`)) return undefined;
    const file = files.get(module) ?? readDeclarationFile(readSource(module));
    files.set(module, file);
    return file;
  };
}

function declarationText({ path, text }: SourceFile): string {
  const { output } = transformSync(text, {
    filename: path,
    swcrc: false,
    configFile: false,
    jsc: {
      parser: { syntax: 'typescript' },
      target: 'es2024',
      experimental: { emitIsolatedDts: true },
    },
  }) as { output?: string };
  const { __swc_isolated_declarations__: declarations } = JSON.parse(output ?? '{}') as {
    __swc_isolated_declarations__?: string;
  };
  if (declarations === undefined) throw new Error(`swc has no declarations for ${path}`);
  return declarations;
}

function resolved(path: string, specifier: string | undefined): string {
  if (specifier === undefined) return path;
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
}

function specifiersOf(
  body: readonly SyntaxNode[],
  type: string,
): { readonly node: SyntaxNode; readonly specifier: SyntaxNode }[] {
  return body
    .filter((node) => node.type === type)
    .flatMap((node) => children(node, 'specifiers').map((specifier) => ({ node, specifier })));
}

function importedName(specifier: SyntaxNode): string {
  if (specifier.type === 'ImportNamespaceSpecifier') return '*';
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  return textOf(child(specifier, 'imported')) ?? textOf(child(specifier, 'local')) ?? '';
}

function declaredNames(node: SyntaxNode): string[] {
  const declaration = node.type === 'ExportDeclaration' ? child(node, 'declaration') : node;
  const name = textOf(child(declaration, 'identifier')) ?? textOf(child(declaration, 'id'));
  if (name !== undefined) return [name];
  return children(declaration, 'declarations').flatMap((one) => textOf(child(one, 'id')) ?? []);
}
