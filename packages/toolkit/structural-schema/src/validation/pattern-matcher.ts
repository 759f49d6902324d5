import { goPatterns, patternProblem } from '@keelson/cel/internal';
import { RE2JS } from 're2js';

const patterns = goPatterns(RE2JS);

/**
 * Compiles and caches the patterns of a schema. They run on RE2 as in kube-apiserver, with Go's syntax and in linear
 * time.
 */
export class PatternMatcher {
  readonly #patterns = new Map<string, ReturnType<typeof patterns.compile>>();

  /** Throws if the pattern does not compile; definitions with such a pattern are refused. */
  matches(pattern: string, text: string): boolean {
    let compiled = this.#patterns.get(pattern);
    if (compiled === undefined) {
      compiled = patterns.compile(pattern);
      this.#patterns.set(pattern, compiled);
    }
    return compiled.test(text);
  }
}

/** Returns the syntax error of a pattern in the words of Go; undefined if it compiles. */
export function patternSyntaxProblem(pattern: string): string | undefined {
  return patternProblem(patterns, pattern);
}
