import { checkSignal } from '@keelson/apimachinery';
import { controllerText, requestText } from './explanation-text.ts';
import type {
  ControllerExplanationFacts,
  ExplanationFacts,
  ObjectWriter,
} from './explanation-facts.ts';

/** Why a request ran, or why it does not: an object for programs, and `text` for people. */
export interface Explanation extends ExplanationFacts {
  /** The explanation as lines of text. */
  readonly text: string;
  /** Returns `text`. */
  toString(): string;
  /**
   * Reads from the API server which field managers wrote the objects of the events last. The cache removes managed
   * fields before it stores an object, so this sends a list for each object, of five at most. Objects that are gone are
   * left out. Rejects with the error of a list, or with the reason of the signal.
   */
  writers(options?: { readonly signal?: AbortSignal }): Promise<readonly ObjectWriter[]>;
}

/** Why a controller runs, or why it does not: an object for programs, and `text` for people. */
export interface ControllerExplanation extends ControllerExplanationFacts {
  /** The explanation as lines of text. */
  readonly text: string;
  /** Returns `text`. */
  toString(): string;
}

/** Completes the facts about a request. */
export function explanationOf(
  facts: ExplanationFacts,
  writers: (signal: AbortSignal | undefined) => Promise<readonly ObjectWriter[]>,
): Explanation {
  const text = requestText(facts);
  return withText({
    ...facts,
    text,
    writers: async ({ signal } = {}) => {
      checkSignal(signal, 'writers.signal');
      return writers(signal);
    },
  });
}

/** Completes the facts about a controller. */
export function controllerExplanationOf(facts: ControllerExplanationFacts): ControllerExplanation {
  return withText({ ...facts, text: controllerText(facts) });
}

/** Makes `String(explanation)` return the text. `toString` is not enumerable, so that it is in no copy. */
function withText<Explained extends { readonly text: string }>(explained: Explained): Explained {
  return Object.defineProperty(explained, 'toString', { value: () => explained.text });
}
