/** An error in the source of an expression, with its position. */
export interface ExpressionIssue {
  readonly offset: number;
  readonly message: string;
}

/** The offset of an error that concerns the whole source. */
export const nowhere = -1;

/** The first syntax error of an expression; parsing ends there. */
export class ExpressionSyntaxError extends Error {
  override readonly name = 'ExpressionSyntaxError';
  readonly issue: ExpressionIssue;

  constructor(offset: number, message: string) {
    super(message);
    this.issue = { offset, message };
  }
}

/** Formats the errors as kube-apiserver does. */
export function showIssues(source: string, issues: readonly ExpressionIssue[]): string {
  return issues
    .toSorted((one, other) => one.offset - other.offset)
    .map((issue) => showIssue(source, issue))
    .join('\n');
}

function showIssue(source: string, { offset, message }: ExpressionIssue): string {
  if (offset === nowhere) return `ERROR: <input>:-1:0: ${message}`;
  // An empty source has no line.
  if (source === '') return `ERROR: <input>:1:0: ${message}`;
  const before = source.slice(0, offset).split('\n');
  const column = Array.from(before.at(-1) ?? '').length;
  const line = (source.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  const pointer = `${'.'.repeat(column)}^`;
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${pointer}`;
}
