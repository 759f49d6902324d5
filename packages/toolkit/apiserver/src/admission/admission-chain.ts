import type { AdmissionPlugin, AdmissionRequest } from './admission-plugin.ts';

/**
 * Runs the admission plugins on a write, in order. The write fails with the error of the first plugin that rejects
 * it.
 */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  mutate(request: AdmissionRequest): void {
    for (const plugin of this.#plugins) plugin.mutate?.(request);
  }

  validate(request: AdmissionRequest): void {
    for (const plugin of this.#plugins) plugin.validate?.(request);
  }

  charge(request: AdmissionRequest): void {
    for (const plugin of this.#plugins) plugin.charge?.(request);
  }
}
