import {
  builtin,
  findCondition,
  isConditionTrue,
  isNotFound,
  type KubernetesObject,
  type ObjectOf,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { projectDefinitions } from '../../project/definitions/project-definitions.ts';
import type { Project } from '../../project/project.ts';
import { found, type Check, type Outcome } from '../runner/check-runner.ts';
import { firstDifference } from './definition-difference.ts';

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/** Checks that the definitions of a project are on the server, established, and equal to those of the project. */
export function definitionsCheck(client: Client, project: Project): Check<never> {
  return {
    name: 'definitions',
    cure: 'correct the kind modules or the CRD files, and see that the user may get CustomResourceDefinitions',
    run: async (signal) => {
      const definitions = await projectDefinitions(project, { signal });
      if (definitions.length === 0) return found('skipped', 'the project has no definitions');
      const outcomes: Outcome[] = [];
      for (const definition of definitions) {
        outcomes.push(await examine(client, definition, { cure: installCure(project), signal }));
      }
      return { outcomes };
    },
  };
}

async function examine(
  client: Client,
  expected: KubernetesObject,
  { cure, signal }: { readonly cure: string; readonly signal: AbortSignal },
): Promise<Outcome> {
  const name = expected.metadata?.name ?? '';
  const actual = await read(client, name, signal);
  if (actual === undefined) return { status: 'failed', detail: `${name} is not installed`, cure };
  const conditions = actual.status?.conditions ?? [];
  if (!isConditionTrue(conditions, 'Established')) {
    const reason = findCondition(conditions, 'NamesAccepted')?.message ?? 'no condition';
    const again =
      'remove the other definition with the same names, or wait and run the command again';
    return { status: 'failed', detail: `${name} is not established: ${reason}`, cure: again };
  }
  const path = firstDifference(expected as Definition, actual);
  return path === undefined
    ? { status: 'ok', detail: `${name} is established and equal` }
    : { status: 'failed', detail: `${name} differs at ${path}`, cure };
}

function installCure({ kinds, crds }: Project): string {
  const apply = `kubectl apply --server-side -f ${crds}`;
  return kinds.length === 0 ? apply : `keelson crd generate, then ${apply}`;
}

async function read(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<Definition | undefined> {
  try {
    return await client.get(builtin.CustomResourceDefinition, { name }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
