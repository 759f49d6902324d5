import { parseSync } from '@swc/core';

/** A node of swc's syntax tree. Its members differ by type and are read with the functions here. */
export interface SyntaxNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The syntax tree of a TypeScript module. */
export function parse(text: string): SyntaxNode {
  return parseSync(text, { syntax: 'typescript', target: 'es2024' }) as unknown as SyntaxNode;
}

/** Every node of a tree, outer ones first: the checks look at all of them again and again. */
export function nodesOf(tree: SyntaxNode): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  collect(tree, nodes);
  return nodes;
}

function collect(value: object, nodes: SyntaxNode[]): void {
  if (isNode(value)) nodes.push(value);
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null) collect(member, nodes);
  }
}

/** The node in a member, if there is one. */
export function child(node: SyntaxNode | undefined, member: string): SyntaxNode | undefined {
  const value = node?.[member];
  return isNode(value) ? value : undefined;
}

/** The nodes in a member that is a list; empty where it is none. */
export function children(node: SyntaxNode | undefined, member: string): SyntaxNode[] {
  const value = node?.[member];
  return Array.isArray(value) ? value.filter((item) => isNode(item)) : [];
}

/** The nodes of a list whose items are wrapped, as arguments and elements are. */
export function expressions(node: SyntaxNode | undefined, member: string): SyntaxNode[] {
  const value = node?.[member];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: { expression?: unknown } | null) =>
    isNode(item?.expression) ? [item.expression] : [],
  );
}

/** The text of a string literal or the name of an identifier. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  return typeof node?.['value'] === 'string' ? node['value'] : undefined;
}

/** The expression below `as const`, `satisfies`, parentheses and type assertions. */
export function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const wrapped = node !== undefined && /^(?:Ts.*|ParenthesisExpression)$/.test(node.type);
  return wrapped ? bare(child(node, 'expression')) : node;
}

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}
