import { printSync, type Module } from '@swc/core';

import { child, type SyntaxNode } from '../sources/syntax.ts';
import type { DeclarationFile, NameOrigin } from './declaration-file.ts';

/** Returns the declarations of a source by its path; `undefined` for a module of another package. */
export type ReadDeclarations = (module: string) => DeclarationFile | undefined;

/** A name that the entry module exports, and the module that declares it. */
interface Exported extends NameOrigin {
  readonly exportedAs: string;
}

/**
 * Prints the public types of an entry module: the exported declarations, then the other declarations of the package that
 * these refer to. Both are sorted by name and have no comments. Names of other packages stay imports and re-exports.
 */
export function printSignatureReport(entry: string, read: ReadDeclarations): string {
  const exported = exportsOf(entry, read);
  const exportedKeys = new Set(exported.map(keyOf));
  const hidden = reachedFrom(exported, read).filter((origin) => !exportedKeys.has(keyOf(origin)));
  const isOwn = ({ module }: NameOrigin): boolean => read(module) !== undefined;
  const blocks = [
    ...linesOf(
      'import',
      hidden.filter((origin) => !isOwn(origin)),
    ),
    ...linesOf(
      'export',
      exported.filter((origin) => !isOwn(origin)),
    ),
    ...exported.filter(isOwn).map((origin) => exportedText(origin, read)),
    ...(hidden.some(isOwn) ? ['// Not exported'] : []),
    ...hidden.filter(isOwn).map((origin) => declarationText(origin, read)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function exportsOf(entry: string, read: ReadDeclarations): Exported[] {
  const file = read(entry);
  if (file === undefined) throw new Error(`${entry} is not a source`);
  const listed = [...file.exports].map(([exportedAs, origin]) => ({ exportedAs, origin }));
  const own = [...file.exported].map((name) => ({
    exportedAs: name,
    origin: { module: entry, name },
  }));
  return [...listed, ...own]
    .map(({ exportedAs, origin }) => ({ exportedAs, ...declaredAt(origin, read) }))
    .toSorted((a, b) => compare(a.exportedAs, b.exportedAs));
}

/** Returns the given names and each name that their declarations refer to, directly or not, sorted. */
function reachedFrom(start: readonly NameOrigin[], read: ReadDeclarations): NameOrigin[] {
  const reached = new Map<string, NameOrigin>();
  const waiting = [...start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(keyOf(next))) continue;
    reached.set(keyOf(next), next);
    waiting.push(...referencesOf(next, read));
  }
  return [...reached.values()].toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}

function referencesOf({ module, name }: NameOrigin, read: ReadDeclarations): NameOrigin[] {
  const file = read(module);
  const nodes = file?.declarations.get(name) ?? [];
  return nodes.flatMap(namesIn).flatMap((reference) => {
    const own =
      file?.declarations.has(reference) === true ? { module, name: reference } : undefined;
    const origin = own ?? file?.imports.get(reference);
    return origin === undefined ? [] : [declaredAt(origin, read)];
  });
}

/** Follows re-exports and imports to the module that declares a name. */
function declaredAt(origin: NameOrigin, read: ReadDeclarations): NameOrigin {
  const file = read(origin.module);
  if (file === undefined || file.declarations.has(origin.name)) return origin;
  const next = file.exports.get(origin.name) ?? file.imports.get(origin.name);
  if (next === undefined) throw new Error(`${origin.module} does not declare ${origin.name}`);
  return declaredAt(next, read);
}

/** Returns the identifiers of a declaration, without the names of its members. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as SyntaxNode;
  if (node.type === 'Identifier')
    return [String(node['value']), ...namesIn(node['typeAnnotation'])];
  const isMember = child(node, 'key')?.type === 'Identifier' && node['computed'] !== true;
  return Object.entries(node).flatMap(([member, part]) =>
    isMember && member === 'key' ? [] : namesIn(part),
  );
}

/** One line per module. */
function linesOf(
  word: string,
  origins: readonly (NameOrigin & { exportedAs?: string })[],
): string[] {
  const lines = origins.map(({ module, name, exportedAs = name }) => {
    const words = exportedAs === name ? name : `${name} as ${exportedAs}`;
    return `${word} { ${words} } from '${module}';`;
  });
  return lines.length === 0 ? [] : [lines.toSorted(compare).join('\n')];
}

function exportedText(origin: Exported, read: ReadDeclarations): string {
  const text = declarationText(origin, read);
  return origin.exportedAs === origin.name ? text : `// As ${origin.exportedAs}\n${text}`;
}

function declarationText({ module, name }: NameOrigin, read: ReadDeclarations): string {
  const nodes = read(module)?.declarations.get(name) ?? [];
  return nodes.map(printed).join('\n');
}

/** Prints a statement without its `export`. The syntax tree has no comments. */
function printed(node: SyntaxNode): string {
  const statement = node.type === 'ExportDeclaration' ? child(node, 'declaration') : node;
  const program = { type: 'Module', span: node['span'], body: [statement], interpreter: null };
  // A node that swc parsed is one that it prints; its types describe each kind of node, SyntaxNode none.
  return printSync(program as unknown as Module).code.trim();
}

function keyOf({ module, name }: NameOrigin): string {
  return `${name} ${module}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
