import type { PatternCompiler } from '../pattern-functions.ts';
import { characterClass } from './character-classes.ts';

/** Returns a compiler that accepts the patterns of Go 1.26, with which kube-apiserver 1.36 is built. */
export function goPatterns(compiler: PatternCompiler): PatternCompiler {
  return { compile: (source) => compiler.compile(translated(source)) };
}

/** Matches patterns that RE2JS may read in another way than Go. */
const unusual = /\\[pP]|\[:|\(\?P?</;

const outside =
  /\\Q[^]*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|[^{])|\\[^]|\(\?P?<(?<group>\w+)>|\[\^?\]?|[^]/uy;
const inside = /\\[pP](?:\{[^}]*\}|[^{])|\\[^]|\[:[^]*?:\]|[^]/uy;

/** Writes a pattern for RE2JS. Throws the error of Go for a class of characters that Go does not have. */
function translated(source: string): string {
  if (!unusual.test(source)) return source;
  const groups = new Set<string>();
  let result = '';
  let isInside = false;
  for (let at = 0; at < source.length;) {
    const [token, group] = tokenAt(source, at, isInside ? inside : outside);
    at += token.length;
    result += isInside ? insideClass(token) : outsideClass(token, group, groups);
    if (isInside ? token === ']' : token.startsWith('[')) isInside = !isInside;
  }
  return result;
}

function tokenAt(
  source: string,
  at: number,
  tokens: RegExp,
): readonly [string, string | undefined] {
  tokens.lastIndex = at;
  const found = tokens.exec(source);
  return found === null ? [source.slice(at), undefined] : [found[0], found.groups?.['group']];
}

function outsideClass(token: string, group: string | undefined, groups: Set<string>): string {
  if (group === undefined) return unicodeClass(token);
  // Go accepts a name twice, and no pattern refers to a name.
  if (groups.has(group)) return '(';
  groups.add(group);
  return token;
}

/** Without an end of a named class `[` is the character. */
function insideClass(token: string): string {
  return token === '[' ? String.raw`\[` : unicodeClass(token);
}

function unicodeClass(token: string): string {
  const found = /^\\([pP])(?:\{(\^?)([^}]*)\}|([^]+))$/u.exec(token);
  if (found === null) return token;
  const [, letter = '', negation = '', long, short = ''] = found;
  const name = characterClass(long ?? short);
  if (name !== undefined) return `\\${letter}{${negation}${name}}`;
  throw new Error(`error parsing regexp: invalid character class range: \`${token}\``);
}
