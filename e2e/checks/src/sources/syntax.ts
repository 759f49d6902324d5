import { parseSync } from '@swc/core';

/** A node of the syntax tree of swc. Its members differ by type; the functions here read them. */
export interface SyntaxNode {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Parses a TypeScript module. */
export function parse(text: string): SyntaxNode {
  return parseSync(text, { syntax: 'typescript', target: 'es2024' }) as unknown as SyntaxNode;
}

/** Returns every node of a tree, parents before children. */
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

/** Returns the node in a member, or `undefined`. */
export function child(node: SyntaxNode | undefined, member: string): SyntaxNode | undefined {
  const value = node?.[member];
  return isNode(value) ? value : undefined;
}

/** Returns the nodes in a member that is a list; otherwise an empty list. */
export function children(node: SyntaxNode | undefined, member: string): SyntaxNode[] {
  const value = node?.[member];
  return Array.isArray(value) ? value.filter((item) => isNode(item)) : [];
}

/** Returns the nodes of a list whose items are wrapped, such as arguments and elements. */
export function expressions(node: SyntaxNode | undefined, member: string): SyntaxNode[] {
  const value = node?.[member];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: { expression?: unknown } | null) =>
    isNode(item?.expression) ? [item.expression] : [],
  );
}

/** Returns the text of a string literal or the name of an identifier. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  return typeof node?.['value'] === 'string' ? node['value'] : undefined;
}

/** Returns the expression inside `as const`, `satisfies`, parentheses and type assertions. */
export function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const wrapped = node !== undefined && /^(?:Ts.*|ParenthesisExpression)$/.test(node.type);
  return wrapped ? bare(child(node, 'expression')) : node;
}

function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}
