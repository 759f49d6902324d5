import { functionLibrary } from './functions/function-library.ts';
import type { PatternCompiler } from './functions/pattern-functions.ts';
import type { FunctionTable } from './types/function-declaration.ts';

/** What the rules of custom resources are compiled with. */
export interface CelLibrary {
  readonly functions: FunctionTable;
  readonly patterns: PatternCompiler;
}

/**
 * Imports what regular expressions need, once. That takes about 15 ms, so it is done when the first rule is seen;
 * compiling and evaluating are synchronous, as every write of an object is.
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
    const { RE2JS } = await import('re2js');
    this.#library = { functions: functionLibrary(RE2JS), patterns: RE2JS };
    return this.#library;
  }
}

/** One for the process, as a module is: it holds nothing but the imported library. */
export const celLoader: CelLoader = new CelLoader();
