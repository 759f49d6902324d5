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

const escape = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const raw = String.raw`[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`;
const long = String.raw`"""(?:${escape}|[^\\])*?"""|'''(?:${escape}|[^\\])*?'''`;
const short = String.raw`"(?:${escape}|[^\\"\n\r])*"|'(?:${escape}|[^\\'\n\r])*'`;
const text = `(?:${raw}|${long}|${short})`;

/** The patterns in the order in which they are tried; a pattern must precede those that match its prefix. */
const patterns: readonly (readonly [TokenKind | 'space', RegExp])[] = [
  ['space', /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y],
  ['bytes', new RegExp(`[bB]${text}`, 'y')],
  ['text', new RegExp(text, 'y')],
  ['double', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|\d+/y],
  ['name', /[A-Za-z_][A-Za-z_0-9]*/y],
  ['quotedName', /`[A-Za-z0-9_.\-/ ]+`/y],
  ['symbol', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];

/** The tokens of a source, of which the last is the end, and the invalid characters. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly issues: readonly ExpressionIssue[];
}

/**
 * Invalid text: a string up to an invalid escape or up to the end of its line, or half an operator with the next
 * character.
 */
const unknown = new RegExp(
  String.raw`(["'])(?:${escape}|(?!\1)[^\\\n\r])*(?:\\[^]?)?|\x60[A-Za-z0-9_.\-/ ]*[^]?|[=&|][^]?|[^]`,
  'uy',
);

export function tokenize(source: string): Tokens {
  const tokens: Token[] = [];
  const issues: ExpressionIssue[] = [];
  let offset = 0;
  while (offset < source.length) {
    const [kind, written] = next(source, offset);
    if (kind === 'unknown') {
      issues.push({ offset, message: `Syntax error: token recognition error at: '${written}'` });
    } else if (kind !== 'space') tokens.push({ kind, text: written, offset });
    offset += written.length;
  }
  return { tokens: [...tokens, { kind: 'end', text: '<EOF>', offset: source.length }], issues };
}

function next(source: string, offset: number): readonly [TokenKind | 'space' | 'unknown', string] {
  for (const [kind, pattern] of patterns) {
    const written = matchAt(pattern, source, offset);
    if (written !== undefined) return [kind, written];
  }
  return ['unknown', matchAt(unknown, source, offset) ?? ''];
}

function matchAt(pattern: RegExp, source: string, offset: number): string | undefined {
  pattern.lastIndex = offset;
  return pattern.exec(source)?.[0];
}
