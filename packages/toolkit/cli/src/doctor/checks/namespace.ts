import { builtin, isNotFound } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { found, type Check } from '../runner/check-runner.ts';

/** Checks that the namespace of the operator exists, which its Lease needs. */
export function namespaceCheck(client: Client, name: string): Check<never> {
  return {
    name: 'namespace',
    cure: 'see that the user may get Namespaces',
    run: async (signal) => {
      try {
        const { status } = await client.get(builtin.Namespace, { name }, { signal });
        if (status?.phase !== 'Terminating') return found('ok', name);
        return found('failed', `${name} is being deleted`, 'wait until it is gone, and create it');
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return found('failed', `${name} does not exist`, `kubectl create namespace ${name}`);
      }
    },
  };
}
