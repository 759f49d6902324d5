import { resolve } from 'node:path';
import type { DefinedPolicy } from '@keelson/schema';
import { CliError } from '../errors.ts';
import { importedFrom } from './kind-modules.ts';

/** The objects of a policy. */
export type PolicyObjects = Pick<DefinedPolicy, 'policy' | 'binding'>;

/**
 * Imports the policy modules of a project, and returns their results of `definePolicy`. Throws `MODULE_FAILED` for one that
 * cannot be imported, and `POLICIES_NOT_FOUND` for one without a policy.
 */
export async function loadPolicies(
  folder: string,
  modules: readonly string[],
): Promise<readonly PolicyObjects[]> {
  const found = new Set<PolicyObjects>();
  for (const path of modules) {
    const file = resolve(folder, path);
    const policies = await importedFrom(file, (values) => values.filter(isPolicy));
    if (policies.length === 0) throw new CliError('POLICIES_NOT_FOUND', { file });
    for (const policy of policies) found.add(policy);
  }
  return [...found];
}

/** By its members: the module may import another copy of @keelson/schema. */
function isPolicy(value: unknown): value is PolicyObjects {
  const { policy, binding } = (value ?? {}) as Partial<PolicyObjects>;
  return (
    policy?.kind === 'ValidatingAdmissionPolicy' &&
    binding?.kind === 'ValidatingAdmissionPolicyBinding'
  );
}
