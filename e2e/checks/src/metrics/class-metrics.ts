import { isTest, type SourceFile } from '../sources/source-file.ts';
import { child, children, nodesOf, parse, textOf, type SyntaxNode } from '../sources/syntax.ts';

/** The measures of one class. A class of many members, or one that many files know, may be several concepts. */
export interface ClassMetrics {
  readonly path: string;
  readonly name: string;
  /** Methods, accessors and fields that other files can use. A getter and its setter count once. */
  readonly publicMembers: number;
  readonly fields: number;
  /** The names of classes that its fields and constructor mention. */
  readonly collaborators: readonly string[];
  /** The number of other files that import the class. */
  readonly knownBy: number;
}

/** An interface and its members that are functions: each is a call in a direction that no import shows. */
export interface CallbackMetrics {
  readonly path: string;
  readonly name: string;
  readonly callbacks: readonly string[];
}

/** The measures of some files, each list with the largest first. */
export interface HouseMetrics {
  readonly classes: readonly ClassMetrics[];
  readonly interfaces: readonly CallbackMetrics[];
}

interface ParsedFile {
  readonly path: string;
  readonly nodes: readonly SyntaxNode[];
}

/** Measures the classes and interfaces of the files, without tests. */
export function measure(files: readonly SourceFile[]): HouseMetrics {
  const parsed = files
    .filter(({ path }) => !isTest(path))
    .map(({ path, text }): ParsedFile => ({ path, nodes: nodesOf(parse(text)) }));
  const classes = parsed.flatMap(({ path, nodes }) =>
    nodes.filter(({ type }) => type === 'ClassDeclaration').map((node) => ({ path, node })),
  );
  const names = new Set(classes.flatMap(({ node }) => textOf(child(node, 'identifier')) ?? []));
  const imports = parsed.map(({ nodes }) => importedNames(nodes));
  return {
    classes: classes
      .map(({ path, node }) => classMetrics(path, node, { names, imports }))
      .toSorted((a, b) => b.publicMembers - a.publicMembers),
    interfaces: parsed
      .flatMap(({ path, nodes }) => callbacksIn(path, nodes))
      .toSorted((a, b) => b.callbacks.length - a.callbacks.length),
  };
}

interface Surroundings {
  /** The names of all classes. */
  readonly names: ReadonlySet<string>;
  /** The names that each file imports. */
  readonly imports: readonly ReadonlySet<string>[];
}

function classMetrics(path: string, node: SyntaxNode, known: Surroundings): ClassMetrics {
  const name = textOf(child(node, 'identifier')) ?? '';
  const members = children(node, 'body');
  const open = members.filter(
    (member) => isOpen(member) && textOf(child(member, 'key')) !== undefined,
  );
  const fields = members.filter(({ type }) => fieldTypes.has(type));
  const makers = members.filter(({ type }) => fieldTypes.has(type) || type === 'Constructor');
  const mentioned = makers.flatMap((member) => nodesOf(member).flatMap(mentionOf));
  return {
    path,
    name,
    publicMembers: new Set(open.map((member) => textOf(child(member, 'key')))).size,
    fields: fields.length,
    collaborators: [...new Set(mentioned)].filter((one) => one !== name && known.names.has(one)),
    knownBy: known.imports.filter((imported) => imported.has(name)).length,
  };
}

const fieldTypes: ReadonlySet<string> = new Set(['ClassProperty', 'PrivateProperty']);

function isOpen({ type, isStatic, accessibility }: SyntaxNode): boolean {
  const isMember = type === 'ClassMethod' || type === 'ClassProperty';
  return isMember && isStatic !== true && accessibility !== 'private';
}

/** The name of a type that a node refers to, or of a class of which it makes an instance. */
function mentionOf(node: SyntaxNode): string | readonly [] {
  const member = node.type === 'TsTypeReference' ? 'typeName' : 'callee';
  const mentions = node.type === 'TsTypeReference' || node.type === 'NewExpression';
  return (mentions ? textOf(child(node, member)) : undefined) ?? [];
}

function importedNames(nodes: readonly SyntaxNode[]): ReadonlySet<string> {
  const declarations = nodes.filter(({ type }) => type === 'ImportDeclaration');
  const specifiers = declarations.flatMap((node) => children(node, 'specifiers'));
  return new Set(
    specifiers.flatMap(
      (one) => textOf(child(one, 'imported')) ?? textOf(child(one, 'local')) ?? [],
    ),
  );
}

function callbacksIn(path: string, nodes: readonly SyntaxNode[]): CallbackMetrics[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'TsInterfaceDeclaration') return [];
    const callbacks = children(child(node, 'body'), 'body').filter((member) => isCallback(member));
    if (callbacks.length === 0) return [];
    const name = textOf(child(node, 'id')) ?? '';
    return [{ path, name, callbacks: callbacks.flatMap((one) => textOf(child(one, 'key')) ?? []) }];
  });
}

/** True for a member whose type is a function type, also in parentheses or a union with `undefined`. */
function isCallback(member: SyntaxNode): boolean {
  if (member.type !== 'TsPropertySignature') return false;
  return isFunctionType(child(child(member, 'typeAnnotation'), 'typeAnnotation'));
}

function isFunctionType(type: SyntaxNode | undefined): boolean {
  if (type?.type === 'TsFunctionType') return true;
  if (type?.type === 'TsParenthesizedType') return isFunctionType(child(type, 'typeAnnotation'));
  return type?.type === 'TsUnionType' && children(type, 'types').some((one) => isFunctionType(one));
}
