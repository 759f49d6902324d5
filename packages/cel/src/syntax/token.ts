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

/** The patterns in the order in which they are tried; a pattern must precede those that match its prefix. */
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

/** Bytes with escapes such as `b"\""`, which the pattern for raw bytes does not match. */
const escapedBytes =
  /[bB](?:"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^]|[^\\"\n\r])*"|'(?:\\[^]|[^\\'\n\r])*')/y;

/** The tokens of a source, of which the last is the end, and the invalid characters. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly issues: readonly ExpressionIssue[];
}

/** Invalid text: an unterminated string up to the end of its line, or half an operator with the next character. */
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
