import { jsonEquals } from '@keelson/structural-schema';
import type { ApiObject } from '../../storage/api-object.ts';

/**
 * Which mutating webhooks or policies are called a second time for one request. Source: `reinvocationcontext.go` of
 * kube-apiserver's admission.
 */
export class Reinvocation {
  /** Called before, and to be called again if the object changes after that. */
  #invoked = new Set<string>();
  readonly #again = new Set<string>();
  #output: ApiObject | undefined;

  /** Marks all reinvocable calls up to now, because the object has changed since. */
  requireAgain(): void {
    for (const id of this.#invoked) this.#again.add(id);
    this.#invoked = new Set();
  }

  addInvoked(id: string): void {
    this.#invoked.add(id);
  }

  isRequired(id: string): boolean {
    return this.#again.has(id);
  }

  /** Remembers the object after a round. */
  setOutput(object: ApiObject | undefined): void {
    this.#output = object && structuredClone(object);
  }

  /** True if the server changed the object after the last round. */
  hasChanged(object: ApiObject | undefined): boolean {
    return !jsonEquals(this.#output, object);
  }
}

/** The rounds of mutation of one request: the second one takes place if a webhook or policy changed the object. */
export class MutationRounds {
  readonly policies: Reinvocation = new Reinvocation();
  readonly webhooks: Reinvocation = new Reinvocation();
  isSecond = false;
  needsSecond = false;
}
