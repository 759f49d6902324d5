import type { TestEnvironmentOptions } from '@keelson/envtest';

/** What the environment variables of a run say; read here and nowhere else. */
export interface ChosenEnvironment {
  readonly options: TestEnvironmentOptions;
  /** Whether the control plane is ours to trouble. */
  readonly isOurs: boolean;
  /** The kubectl to run beside us; without one its tests are skipped. */
  readonly kubectl: string | undefined;
  /** Whether a parent process reads which test begins and ends. */
  readonly tellsProgress: boolean;
}

const uses = ['memory', 'binaries', 'kubeconfig'] as const;

/**
 * `KEELSON_E2E`: `memory` (default), `binaries` (from `KUBEBUILDER_ASSETS`) or `kubeconfig` (`KUBECONFIG`).
 * `KUBECTL`: the path of a kubectl. `KEELSON_E2E_PROGRESS`: set by `main.ts`.
 */
export function chosenEnvironment(): ChosenEnvironment {
  const { KEELSON_E2E: wanted = 'memory', KEELSON_E2E_PROGRESS: progress } = process.env;
  const { KUBECTL: kubectl } = process.env;
  const use = uses.find((each) => each === wanted);
  if (use === undefined)
    throw new Error(`KEELSON_E2E is ${wanted}; it is one of ${uses.join(', ')}`);
  return {
    options: { use, controllers: ['cluster-role-aggregation', 'garbage-collector', 'namespace'] },
    isOurs: use !== 'kubeconfig',
    kubectl: kubectl === '' ? undefined : kubectl,
    tellsProgress: progress !== undefined,
  };
}
