import type { TestEnvironmentOptions } from '@keelson/envtest';

/** The settings of a run. Only this module reads environment variables. */
export interface ChosenEnvironment {
  readonly options: TestEnvironmentOptions;
  /** True if the tests may stop, pause and compact the control plane. */
  readonly isOurs: boolean;
  /** The path of kubectl. Its tests are skipped if it is undefined. */
  readonly kubectl: string | undefined;
  /** The kubeconfig of a control plane that the files of a run share, or undefined if each file starts its own. */
  readonly shared: string | undefined;
  /** True if a parent process reads which tests start and end. */
  readonly reportsProgress: boolean;
}

/** The controllers of kube-controller-manager that the tests need. */
export const controllers = ['cluster-role-aggregation', 'garbage-collector', 'namespace'] as const;

const uses = ['memory', 'binaries', 'kubeconfig'] as const;

/**
 * `KEELSON_E2E`: `memory` (default), `binaries` (from `KUBEBUILDER_ASSETS`) or `kubeconfig` (`KUBECONFIG`).
 * `KUBECTL`: the path of a kubectl. `KEELSON_E2E_PROGRESS` and `KEELSON_E2E_SHARED`: set by `main.ts`.
 * `KEELSON_E2E_KUBERNETES`: the minor version of the binaries, if it is a former one such as `1.35`.
 */
export function chosenEnvironment(): ChosenEnvironment {
  const { KEELSON_E2E: wanted = 'memory', KEELSON_E2E_PROGRESS: progress } = process.env;
  const { KUBECTL: kubectl, KEELSON_E2E_SHARED: shared } = process.env;
  const use = uses.find((each) => each === wanted);
  if (use === undefined)
    throw new Error(`KEELSON_E2E is ${wanted}; it is one of ${uses.join(', ')}`);
  return {
    options: { use, controllers },
    isOurs: use !== 'kubeconfig',
    shared,
    kubectl: kubectl === '' ? undefined : kubectl,
    reportsProgress: progress !== undefined,
  };
}
