import { RE2JS } from 're2js';

/**
 * Compiles and caches the patterns of a schema. They run on RE2 as in kube-apiserver, with Go's syntax and in linear
 * time.
 */
export class PatternMatcher {
  readonly #patterns = new Map<string, RE2JS>();

  /** Throws if the pattern does not compile; definitions with such a pattern are refused. */
  matches(pattern: string, text: string): boolean {
    let compiled = this.#patterns.get(pattern);
    if (compiled === undefined) {
      compiled = RE2JS.compile(pattern);
      this.#patterns.set(pattern, compiled);
    }
    return compiled.test(text);
  }
}
