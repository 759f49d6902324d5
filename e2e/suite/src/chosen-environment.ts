import type { TestEnvironmentOptions } from '@keelson/envtest';

/** What the environment variables of a run say; read here and nowhere else. */
export interface ChosenEnvironment {
  readonly options: TestEnvironmentOptions;
  /** Whether the control plane is ours to trouble. */
  readonly isOurs: boolean;
  /** The kubectl to run beside us; without one its tests are skipped. */
  readonly kubectl: string | undefined;
}

const uses = ['memory', 'binaries', 'kubeconfig'] as const;

/**
 * `KEELSON_E2E`: `memory` (default), `binaries` (from `KUBEBUILDER_ASSETS`) or `kubeconfig` (`KUBECONFIG`).
 * `KUBECTL`: the path of a kubectl.
 */
export function chosenEnvironment(): ChosenEnvironment {
  const { KEELSON_E2E: wanted = 'memory', KUBECTL: kubectl } = process.env;
  const use = uses.find((each) => each === wanted);
  if (use === undefined)
    throw new Error(`KEELSON_E2E is ${wanted}; it is one of ${uses.join(', ')}`);
  return {
    options: { use, controllers: ['garbage-collector', 'namespace'] },
    isOurs: use !== 'kubeconfig',
    kubectl: kubectl === '' ? undefined : kubectl,
  };
}
