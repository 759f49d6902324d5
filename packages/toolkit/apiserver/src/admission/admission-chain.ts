import { lazy } from '@keelson/structural-schema';
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
  readonly #plugins: () => AdmissionPlugins;

  /** The first write creates the plugins. */
  constructor(create: () => AdmissionPlugins) {
    this.#plugins = lazy(create);
  }

  /** True if webhooks or policies may take part in a write. */
  get isDynamic(): boolean {
    const { dynamic } = this.#plugins();
    return dynamic.mutates || dynamic.validates;
  }

  /** Changes the object in place; the attributes are those of the request behind the write. */
  mutate(request: AdmissionRequest, attributes?: AdmissionAttributes): Promise<void> | undefined {
    this.#mutateBuiltin(request);
    if (attributes === undefined || !this.#plugins().dynamic.mutates) return undefined;
    return this.#mutateDynamic(attributes, () => this.#mutateBuiltin(request));
  }

  validate(request: AdmissionRequest, attributes?: AdmissionAttributes): Promise<void> | undefined {
    for (const plugin of this.#plugins().builtin) plugin.validate?.(request);
    const { dynamic } = this.#plugins();
    if (attributes === undefined || !dynamic.validates) {
      this.#validateLast(request);
      return undefined;
    }
    return dynamic.validate(attributes).then(() => this.#validateLast(request));
  }

  /**
   * Admits a request whose object is not stored, such as a delete, an eviction or a review. Only webhooks and policies
   * apply to it. Mutating ones may change the object of the attributes.
   */
  admit(attributes: AdmissionAttributes): Promise<void> | undefined {
    if (!this.isDynamic) return undefined;
    const { dynamic } = this.#plugins();
    return this.#mutateDynamic(attributes, () => {}).then(() => dynamic.validate(attributes));
  }

  charge(request: AdmissionRequest): void {
    const { builtin, last } = this.#plugins();
    for (const plugin of [...builtin, ...last]) plugin.charge?.(request);
  }

  /** If a webhook or policy changed the object, all plugins get it a second time. */
  async #mutateDynamic(attributes: AdmissionAttributes, again: () => void): Promise<void> {
    const { dynamic } = this.#plugins();
    const rounds = new MutationRounds();
    await dynamic.mutate(attributes, rounds);
    if (!rounds.needsSecond) return;
    rounds.isSecond = true;
    again();
    await dynamic.mutate(attributes, rounds);
  }

  #mutateBuiltin(request: AdmissionRequest): void {
    for (const plugin of this.#plugins().builtin) plugin.mutate?.(request);
  }

  #validateLast(request: AdmissionRequest): void {
    for (const plugin of this.#plugins().last) plugin.validate?.(request);
  }
}
