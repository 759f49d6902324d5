import type { AdmissionPlugin, AdmissionRequest } from './admission-plugin.ts';
import type { AdmissionAttributes } from './dynamic/admission-attributes.ts';
import type { DynamicAdmission } from './dynamic-admission.ts';
import { MutationRounds } from './dynamic/reinvocation.ts';

/** The plugins of a server, in the order of kube-apiserver. */
export interface AdmissionPlugins {
  /** Plugins before the webhooks and policies. */
  readonly builtin: readonly AdmissionPlugin[];
  readonly dynamic: DynamicAdmission;
  /** Plugins after the webhooks and policies, such as quotas. */
  readonly last: readonly AdmissionPlugin[];
}

/**
 * Runs the admission plugins on a write, in order. The write fails with the error of the first plugin that rejects it. A
 * method returns a promise only if a webhook or policy of the server takes part.
 */
export class AdmissionChain {
  readonly #builtin: readonly AdmissionPlugin[];
  readonly #dynamic: DynamicAdmission;
  readonly #last: readonly AdmissionPlugin[];

  constructor({ builtin, dynamic, last }: AdmissionPlugins) {
    this.#builtin = builtin;
    this.#dynamic = dynamic;
    this.#last = last;
  }

  /** True if webhooks or policies may take part in a write. */
  get isDynamic(): boolean {
    return this.#dynamic.mutates || this.#dynamic.validates;
  }

  /** Changes the object in place; the attributes are those of the request behind the write. */
  mutate(request: AdmissionRequest, attributes?: AdmissionAttributes): Promise<void> | undefined {
    this.#mutateBuiltin(request);
    if (attributes === undefined || !this.#dynamic.mutates) return undefined;
    return this.#mutateDynamic(attributes, () => this.#mutateBuiltin(request));
  }

  validate(request: AdmissionRequest, attributes?: AdmissionAttributes): Promise<void> | undefined {
    for (const plugin of this.#builtin) plugin.validate?.(request);
    if (attributes === undefined || !this.#dynamic.validates) {
      this.#validateLast(request);
      return undefined;
    }
    return this.#dynamic.validate(attributes).then(() => this.#validateLast(request));
  }

  /**
   * Admits a request whose object is not stored, such as a delete, an eviction or a review. Only webhooks and policies
   * apply to it. Mutating ones may change the object of the attributes.
   */
  admit(attributes: AdmissionAttributes): Promise<void> | undefined {
    if (!this.isDynamic) return undefined;
    return this.#mutateDynamic(attributes, () => {}).then(() => this.#dynamic.validate(attributes));
  }

  charge(request: AdmissionRequest): void {
    for (const plugin of [...this.#builtin, ...this.#last]) plugin.charge?.(request);
  }

  /** If a webhook or policy changed the object, all plugins get it a second time. */
  async #mutateDynamic(attributes: AdmissionAttributes, again: () => void): Promise<void> {
    const rounds = new MutationRounds();
    await this.#dynamic.mutate(attributes, rounds);
    if (!rounds.needsSecond) return;
    rounds.isSecond = true;
    again();
    await this.#dynamic.mutate(attributes, rounds);
  }

  #mutateBuiltin(request: AdmissionRequest): void {
    for (const plugin of this.#builtin) plugin.mutate?.(request);
  }

  #validateLast(request: AdmissionRequest): void {
    for (const plugin of this.#last) plugin.validate?.(request);
  }
}
