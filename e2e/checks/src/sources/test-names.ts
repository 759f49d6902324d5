import { bare, child, children, expressions, textOf, type SyntaxNode } from './syntax.ts';

/**
 * Returns the names of the tests of a module. Computed parts of a template become `…`. A name that starts with `%s`
 * or `$member` is returned once for each row of its table. Skipped tests do not count.
 */
export function testNamesOf(nodes: readonly SyntaxNode[]): string[] {
  const variables = variablesOf(nodes);
  return nodes
    .filter(({ type }) => type === 'CallExpression')
    .flatMap((call) => namesOf(call, variables));
}

type Variables = ReadonlyMap<string, SyntaxNode>;

function variablesOf(nodes: readonly SyntaxNode[]): Variables {
  const variables = new Map<string, SyntaxNode>();
  for (const node of nodes) {
    const name = node.type === 'VariableDeclarator' ? textOf(child(node, 'id')) : undefined;
    const value = bare(child(node, 'init'));
    if (name !== undefined && value !== undefined) variables.set(name, value);
  }
  return variables;
}

function namesOf(call: SyntaxNode, variables: Variables): string[] {
  const { words, table } = calleeOf(child(call, 'callee'));
  const [first] = words;
  const runs =
    (first === 'test' || first === 'it') && !words.includes('skip') && !words.includes('todo');
  const title = runs ? titleOf(expressions(call, 'arguments')[0]) : undefined;
  if (title === undefined) return [];
  const column = /^(?:%s|\$(?<member>\w+))/.exec(title);
  if (column === null) return [title];
  const rows = rowsOf(table, variables).map((row) => cellOf(row, column.groups?.['member']));
  return rows.flatMap((cell) => (cell === undefined ? [] : [cell + title.slice(column[0].length)]));
}

interface Callee {
  /** The names of the call: `test.each(table)` has `test` and `each`. */
  readonly words: readonly string[];
  readonly table: SyntaxNode | undefined;
}

function calleeOf(callee: SyntaxNode | undefined): Callee {
  switch (callee?.type) {
    case 'Identifier':
      return { words: [textOf(callee) ?? ''], table: undefined };
    case 'MemberExpression': {
      const { words, table } = calleeOf(child(callee, 'object'));
      return { words: [...words, textOf(child(callee, 'property')) ?? ''], table };
    }
    case 'CallExpression': {
      const { words } = calleeOf(child(callee, 'callee'));
      return { words, table: expressions(callee, 'arguments')[0] };
    }
    default:
      return { words: [''], table: undefined };
  }
}

function titleOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== 'TemplateLiteral') {
    return node?.type === 'StringLiteral' ? textOf(node) : undefined;
  }
  return children(node, 'quasis')
    .map((quasi) => (typeof quasi['cooked'] === 'string' ? quasi['cooked'] : ''))
    .join('…');
}

function rowsOf(table: SyntaxNode | undefined, variables: Variables): SyntaxNode[] {
  const value = bare(table);
  if (value?.type === 'Identifier') return rowsOf(variables.get(textOf(value) ?? ''), new Map());
  return expressions(value, 'elements').flatMap((row) => bare(row) ?? []);
}

/** Returns the text that `%s` (the first cell) or `$member` inserts from a row. */
function cellOf(row: SyntaxNode, member: string | undefined): string | undefined {
  if (member !== undefined) {
    const property = children(row, 'properties').find(
      (one) => textOf(child(one, 'key')) === member,
    );
    return titleOf(child(property, 'value'));
  }
  return titleOf(row.type === 'ArrayExpression' ? expressions(row, 'elements')[0] : row);
}
