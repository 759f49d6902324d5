import { RE2JS } from 're2js';

/**
 * The compiled patterns of a schema. They run on RE2, as in kube-apiserver: the time of a match grows with the text
 * alone, and the syntax is Go's.
 */
export class PatternCache {
  readonly #patterns = new Map<string, RE2JS>();

  /** Throws for a pattern that does not compile; definitions with one are refused. */
  matches(pattern: string, text: string): boolean {
    let compiled = this.#patterns.get(pattern);
    if (compiled === undefined) {
      compiled = RE2JS.compile(pattern);
      this.#patterns.set(pattern, compiled);
    }
    return compiled.test(text);
  }
}
