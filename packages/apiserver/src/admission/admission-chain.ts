import type { AdmissionPlugin, AdmissionRequest } from './admission-plugin.ts';

/** Runs every plugin over a write, in order; the first that refuses ends the write. */
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
