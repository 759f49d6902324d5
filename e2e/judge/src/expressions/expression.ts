import type { RandomSource } from './random-source.ts';

/** A random expression: a template with an operand for each `$`. */
export interface Node {
  readonly template: string;
  readonly operands: readonly Node[];
}

export function leaf(template: string): Node {
  return { template, operands: [] };
}

/** Writes an expression; operands of operators are in parentheses. */
export function sourceOf({ template, operands }: Node): string {
  let next = 0;
  const isOperator = /\$ | \$|^[-!]\$/.test(template) && !/[([{]/.test(template);
  if (operands.length === 0) return template;
  return template.replaceAll('$', (_, at: number) => {
    const operand = operands[next];
    next += 1;
    if (operand === undefined) return '';
    const text = sourceOf(operand);
    const isTarget = /^[.[]/.test(template.slice(at + 1));
    const compound = / |^[-!]/.test(operand.template) && !/^\w*[([{]/.test(operand.template);
    const number = isTarget && /^-?[\d.]/.test(text);
    return (isOperator || isTarget) && (compound || number) ? `(${text})` : text;
  });
}

/** Damages a source: a piece is removed, doubled or replaced by another one. */
export function damaged(random: RandomSource, source: string): string {
  const pieces: readonly string[] = source.match(/\w+|\s+|[^]/gu) ?? [];
  const at = random.below(pieces.length);
  const piece = pieces[at] ?? '';
  const others = [
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '.',
    ',',
    ':',
    '?',
    '!',
    '-',
    '"',
    "'",
    '&',
    '=',
    '1',
    'x',
    ' in ',
    '\\',
    '@',
    '`',
    '//',
    '\n',
    '0x',
    '1e',
    'u',
    "r'",
    "b'",
  ];
  const put = random.pick(['', piece + piece, random.pick(others), piece + random.pick(others)]);
  return pieces.with(at, put).join('');
}

/** Returns the expressions that are one step smaller: a part is replaced by one of its own parts, or left out. */
export function* smallerNodes(node: Node): Generator<Node> {
  for (const operand of node.operands) yield operand;
  if (/^\[\$(, \$)*\]$/.test(node.template) && node.operands.length > 0) {
    for (const index of node.operands.keys()) {
      const operands = node.operands.toSpliced(index, 1);
      yield { template: `[${operands.map(() => '$').join(', ')}]`, operands };
    }
  }
  for (const [index, operand] of node.operands.entries()) {
    for (const smaller of smallerNodes(operand)) {
      yield { ...node, operands: node.operands.with(index, smaller) };
    }
  }
}
