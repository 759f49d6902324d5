import type * as Library from '@marcbachmann/cel-js';
import type * as Evaluator from '@marcbachmann/cel-js/evaluator';

/** What the rules of custom resources are compiled and evaluated with. */
export interface CelLibrary {
  readonly Environment: typeof Library.Environment;
  readonly Optional: typeof Library.Optional;
  readonly Duration: typeof Evaluator.Duration;
  readonly EvaluationError: typeof Library.EvaluationError;
}

/**
 * Imports the library, once. That takes about 30 ms, so it is done when the first rule is seen; compiling and
 * evaluating are synchronous, as every write of an object is.
 */
export class CelLoader {
  #loading: Promise<CelLibrary> | undefined;
  #library: CelLibrary | undefined;

  /** Undefined until `load` has been awaited. */
  get library(): CelLibrary | undefined {
    return this.#library;
  }

  load(): Promise<CelLibrary> {
    this.#loading ??= this.#import();
    return this.#loading;
  }

  async #import(): Promise<CelLibrary> {
    const [{ Environment, EvaluationError, Optional }, { Duration }] = await Promise.all([
      import('@marcbachmann/cel-js'),
      import('@marcbachmann/cel-js/evaluator'),
    ]);
    this.#library = { Environment, EvaluationError, Optional, Duration };
    return this.#library;
  }
}

/** One for the process, as a module is: it holds nothing but the imported library. */
export const celLoader: CelLoader = new CelLoader();
