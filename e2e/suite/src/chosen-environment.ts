import type { TestEnvironmentOptions } from '@keelson/envtest';

/** The settings of a run. Only this module reads environment variables. */
export interface ChosenEnvironment {
  readonly options: TestEnvironmentOptions;
  /** True if the tests may stop, pause and compact the control plane. */
  readonly isOurs: boolean;
  /** The path of kubectl. Its tests are skipped if it is undefined. */
  readonly kubectl: string | undefined;
  /** True if a parent process reads which tests start and end. */
  readonly reportsProgress: boolean;
}

const uses = ['memory', 'binaries', 'kubeconfig'] as const;

/**
 * `KEELSON_E2E`: `memory` (default), `binaries` (from `KUBEBUILDER_ASSETS`) or `kubeconfig` (`KUBECONFIG`).
 * `KUBECTL`: the path of a kubectl. `KEELSON_E2E_PROGRESS`: set by `main.ts`.
 * `KEELSON_E2E_KUBERNETES`: the minor version of the binaries, if it is a former one such as `1.35`.
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
    reportsProgress: progress !== undefined,
  };
}
