/** What is known of an error of the library. */
interface CelProblem {
  readonly summary: string;
  readonly code: string;
  readonly start: number;
  readonly node: CelNode | undefined;
}

interface CelNode {
  readonly op?: string;
  readonly start: number;
  readonly left?: { readonly end: number };
}

function problemOf(error: unknown): CelProblem {
  const {
    summary,
    message,
    code = '',
    range,
    node,
  } = error as {
    summary?: string;
    message: string;
    code?: string;
    range?: { start: number };
    node?: CelNode;
  };
  return { summary: summary ?? message, code, start: range?.start ?? 0, node };
}

/** Why a rule does not compile, worded and laid out as cel-go does. */
export function compileMessage(source: string, error: unknown): string {
  const problem = problemOf(error);
  const before = source.slice(0, placeOf(source, problem)).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = source.split('\n')[before.length - 1] ?? '';
  const words = reword(problem.summary, compileWords);
  return `ERROR: <input>:${before.length}:${column + 1}: ${words}\n | ${line}\n | ${'.'.repeat(column)}^`;
}

/** Why the evaluation of a rule failed, in the words of cel-go. */
export function evaluationMessage(error: unknown): string {
  return reword(problemOf(error).summary, evaluationWords);
}

/** cel-go points at the operator, the dot of a selection and the parenthesis of a call; the library at what begins there. */
function placeOf(source: string, { summary, start, node }: CelProblem): number {
  if (node?.op === '.') return Math.max(0, start - 1);
  const call = /overload for '(?:[\w<>, ]+\.)?(\w+)\(/.exec(summary)?.[1];
  if (call !== undefined) {
    const place = source.indexOf(`${call}(`, start);
    return place < 0 ? start : place + call.length;
  }
  const operator = binary.exec(summary)?.[2];
  const left = node?.left?.end;
  const place = operator === undefined || left === undefined ? -1 : source.indexOf(operator, left);
  return place < 0 ? start : place;
}

const binary = /^no such overload: (\S+) ([^\s\w]+|in) (\S+)$/;

type Words = readonly (readonly [RegExp, string])[];

const compileWords: Words = [
  [/^No such key: (\S+)$/, "undefined field '$1'"],
  [/^Unknown variable: (\S+)$/, "undeclared reference to '$1' (in container '')"],
  [binary, "found no matching overload for '_$2_' applied to '($1, $3)'"],
  [/^no such overload: ([!-])(\S+)$/, "found no matching overload for '$1_' applied to '($2)'"],
  [
    /^found no matching overload for '([\w<>, ]+)\.(\w+)(\(.*\))'$/,
    "found no matching overload for '$2' applied to '$1.$3'",
  ],
  [
    /^found no matching overload for '(\w+)(\(.*\))'$/,
    "found no matching overload for '$1' applied to '$2'",
  ],
  [/^Cannot index type '(.*)'$/, "type '$1' does not support field selection"],
  [/^(Unexpected|Expected) (.*)$/, 'Syntax error: $1 $2'],
];

const evaluationWords: Words = [
  [/^No such key: index out of bounds, index (-?\d+) .*$/, 'index out of bounds: $1'],
  [/^No such key: (.*)$/, 'no such key: $1'],
  [/^integer overflow.*$/, 'integer overflow'],
  [/^modulo by zero$/, 'modulus by zero'],
];

function reword(text: string, words: Words): string {
  const found = words.find(([pattern]) => pattern.test(text));
  return found === undefined ? text : text.replace(...found);
}
