import { binariesBackend } from './binaries-backend.ts';
import {
  resolveOptions,
  type ResolvedOptions,
  type TestEnvironmentOptions,
} from '../environment/environment-options.ts';
import { kubeconfigBackend } from './kubeconfig-backend.ts';
import { memoryBackend } from './memory-backend.ts';
import { RunningEnvironment, type Backend } from '../environment/running-environment.ts';
import type { TestEnvironment } from '../environment/test-environment.ts';

const backends: Readonly<
  Record<ResolvedOptions['use'], (options: ResolvedOptions) => Promise<Backend>>
> = { memory: memoryBackend, binaries: binariesBackend, kubeconfig: kubeconfigBackend };

/**
 * Starts a control plane for tests, or connects to an existing cluster: see `TestEnvironmentOptions.use`. Resolves
 * when the API server is ready. Dispose of the environment (`await using`) or call `stop`.
 *
 * Throws `INVALID_OPTION`, `BINARIES_NOT_FOUND`, `BINARY_BROKEN`, `VERSION_NOT_SUPPORTED`, `PORT_IN_USE`,
 * `START_FAILED`, `START_TIMEOUT`; the last two carry the output of the processes.
 */
export async function createTestEnvironment(
  options: TestEnvironmentOptions = {},
): Promise<TestEnvironment> {
  const resolved = resolveOptions(options);
  return new RunningEnvironment(await backends[resolved.use](resolved), resolved.crdTimeout);
}
