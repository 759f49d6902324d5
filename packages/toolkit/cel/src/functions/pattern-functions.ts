import { noOverload, type Outcome } from '../values/outcome.ts';
import { TypeValue } from '../values/type-value.ts';
import type { Value } from '../values/value.ts';
import { type Overload, overload } from '../types/function-declaration.ts';
import { fail, ProgramError } from '../values/evaluation-error.ts';

/** The position of a search in a text. */
interface Matcher {
  find(): boolean;
  group(): string | null;
  start(): number;
  end(): number;
}

/** A compiled regular expression. */
interface Pattern {
  test(text: string): boolean;
  matcher(text: string): Matcher;
}

/** The part of the compiler `RE2JS` that is used. The declarations of re2js need TypeScript 5.7. */
export interface PatternCompiler {
  compile(source: string): Pattern;
}

/** The functions `matches`, `find` and `findAll`. */
export function patternFunctions(compiler: PatternCompiler): readonly Overload[] {
  const patterns = new Map<string, Pattern>();
  const compiled = (source: string, words: string): Pattern => {
    const known = patterns.get(source);
    if (known !== undefined) return known;
    const pattern = compile(compiler, source, words);
    // Objects may contain any number of patterns, so the cache is bounded; the patterns of rules come first.
    if (patterns.size < 1000) patterns.set(source, pattern);
    return pattern;
  };
  const matches = (text: string, source: string): boolean => compiled(source, '').test(text);
  const all = (text: string, source: string, most: bigint): readonly string[] =>
    found(compiled(source, 'Illegal regex: '), text, most < 0n ? Infinity : Number(most));
  return [
    overload('matches(string, string): bool', matches),
    overload('string.matches(string): bool', matches),
    overload(
      'string.find(string): string',
      (text: string, source: string) => all(text, source, 1n)[0] ?? '',
    ),
    overload('string.findAll(string): list<string>', (text: string, source: string) =>
      all(text, source, -1n),
    ),
    overload('string.findAll(string, int): list<string>', all),
  ];
}

/**
 * Returns the implementation of `matches`, `find` or `findAll` for a constant pattern; `undefined` for other functions.
 * Throws `ProgramError` for an invalid pattern.
 */
export function patternCallee(
  compiler: PatternCompiler,
  name: string,
  source: string,
): ((args: readonly Value[]) => Outcome) | undefined {
  if (name !== 'matches' && name !== 'find' && name !== 'findAll') return undefined;
  const problem = patternProblem(compiler, source);
  if (problem !== undefined) throw new ProgramError(problem);
  const pattern = compiler.compile(source);
  return ([given = null, , most = -1n]) => {
    const text = given instanceof TypeValue ? given.name : given;
    if (typeof text !== 'string' || typeof most !== 'bigint') return noOverload(null);
    if (name === 'matches') return pattern.test(text);
    if (name === 'find') return found(pattern, text, 1)[0] ?? '';
    return found(pattern, text, most < 0n ? Infinity : Number(most));
  };
}

/** Returns the error of an invalid pattern in the words of Go; otherwise `undefined`. */
export function patternProblem(compiler: PatternCompiler, source: string): string | undefined {
  try {
    compiler.compile(source);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Go appends the rest of the expression to the message even if the rest is empty. */
function messageOf(error: unknown): string {
  return (error as Error).message.replace(/at end of expression$/, '$&: ``');
}

function compile(compiler: PatternCompiler, source: string, words: string): Pattern {
  try {
    return compiler.compile(source);
  } catch (error) {
    return fail(words + messageOf(error));
  }
}

function found(pattern: Pattern, text: string, most: number): readonly string[] {
  const matcher = pattern.matcher(text);
  const parts: string[] = [];
  let end = -1;
  while (parts.length < most && matcher.find()) {
    const part = matcher.group() ?? '';
    // As in Go, an empty match directly after the previous match does not count.
    if (part !== '' || matcher.start() !== end) parts.push(part);
    end = matcher.end();
  }
  return parts;
}
