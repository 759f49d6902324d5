/** What is wrong with the text of an expression, and where. */
export interface ExpressionIssue {
  readonly offset: number;
  readonly message: string;
}

/** The offset of an issue of the whole text; nothing points at it. */
export const nowhere = -1;

/** Thrown at the first error of syntax. */
export class ExpressionSyntaxError extends Error {
  override readonly name = 'ExpressionSyntaxError';
  readonly issue: ExpressionIssue;

  constructor(offset: number, message: string) {
    super(message);
    this.issue = { offset, message };
  }
}

/** The issues in the form in which kube-apiserver tells them. */
export function showIssues(source: string, issues: readonly ExpressionIssue[]): string {
  return issues
    .toSorted((one, other) => one.offset - other.offset)
    .map((issue) => showIssue(source, issue))
    .join('\n');
}

function showIssue(source: string, { offset, message }: ExpressionIssue): string {
  if (offset === nowhere) return `ERROR: <input>:-1:0: ${message}`;
  const before = source.slice(0, offset).split('\n');
  const column = Array.from(before.at(-1) ?? '').length;
  const line = (source.split('\n')[before.length - 1] ?? '').replaceAll('\t', ' ');
  const pointer = `${'.'.repeat(column)}^`;
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${pointer}`;
}
