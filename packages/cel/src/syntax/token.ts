import type { ExpressionIssue } from './expression-issue.ts';

export type TokenKind =
  | 'name'
  | 'quotedName'
  | 'int'
  | 'uint'
  | 'double'
  | 'text'
  | 'bytes'
  | 'symbol'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}

/** In the order in which they are tried: what begins like something else comes first. */
const patterns: readonly (readonly [TokenKind | 'space', RegExp])[] = [
  ['space', /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y],
  ['bytes', /[bB](?:[rR]|(?=["']))(?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y],
  ['text', /[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/y],
  ['text', /"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''/y],
  ['text', /"(?:\\[^]|[^\\"\n\r])*"|'(?:\\[^]|[^\\'\n\r])*'/y],
  ['double', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|\d+/y],
  ['name', /[A-Za-z_][A-Za-z_0-9]*/y],
  ['quotedName', /`[A-Za-z0-9_.\-/ ]+`/y],
  ['symbol', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];

/** `b"\""` has escapes, which the pattern for raw bytes does not know. */
const escapedBytes =
  /[bB](?:"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^\\"\n\r])*"|'(?:\\[^]|[^\\'\n\r])*')/y;

/** The tokens of a text, the last of which is its end, and what in it is no token. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly issues: readonly ExpressionIssue[];
}

/** A text that does not end goes on to the end of its line; half an operator takes in what stands in place of the rest. */
const unknown = /["'][^\n\r]*|[=&|][^]?|[^]/y;

export function tokenize(source: string): Tokens {
  const tokens: Token[] = [];
  const issues: ExpressionIssue[] = [];
  let offset = 0;
  while (offset < source.length) {
    const [kind, text] = next(source, offset);
    if (kind === 'unknown') {
      issues.push({ offset, message: `Syntax error: token recognition error at: '${text}'` });
    } else if (kind !== 'space') tokens.push({ kind, text, offset });
    offset += text.length;
  }
  return { tokens: [...tokens, { kind: 'end', text: '<EOF>', offset: source.length }], issues };
}

function next(source: string, offset: number): readonly [TokenKind | 'space' | 'unknown', string] {
  const bytes = matchAt(escapedBytes, source, offset);
  if (bytes !== undefined) return ['bytes', bytes];
  for (const [kind, pattern] of patterns) {
    const text = matchAt(pattern, source, offset);
    if (text !== undefined) return [kind, text];
  }
  return ['unknown', matchAt(unknown, source, offset) ?? ''];
}

function matchAt(pattern: RegExp, source: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(source)?.[0];
}
