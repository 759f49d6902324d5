import type { KubernetesObject } from '@keelson/apimachinery';
import type { Failures } from '../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { resourceOfKind, titleOf, type Served } from './find-resource.ts';
import type { ObjectQuery } from './get-objects.ts';
import { namespaceOf } from './namespace-of.ts';
import type { ChosenCluster } from './session-cluster.ts';

/** An object to delete. */
export interface DeletedName {
  readonly resource: Served;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The names of a query. */
export function namesOf({ resource, names, namespace }: ObjectQuery): readonly DeletedName[] {
  return names.map((name) => ({ resource, name, namespace }));
}

/**
 * The names of objects, in reverse order: those that others need come last. `failures` keeps the errors of objects that have none: of a
 * kind that the server does not serve, or in another namespace than the given one.
 */
export async function namesOfObjects(
  objects: readonly KubernetesObject[],
  given: string | undefined,
  { cluster, failures }: { readonly cluster: ChosenCluster; readonly failures: Failures },
): Promise<readonly DeletedName[]> {
  const { client, namespace: fallback } = cluster;
  const found: DeletedName[] = [];
  for (const object of objects.toReversed()) {
    const { apiVersion = '', kind = '', metadata } = object;
    await failures.attempt(async () => {
      const resource = await resourceOfKind(client, apiVersion, kind);
      const namespace = namespaceOf(resource, object, { given, fallback });
      found.push({ resource, name: metadata?.name ?? '', namespace });
    });
  }
  return found;
}

/** Where a deletion happens, and the errors of its objects so far. */
export interface Deletion {
  readonly cluster: ChosenCluster;
  readonly terminal: Terminal;
  readonly failures: Failures;
}

/** Deletes objects. It does not wait for their finalizers. */
export async function deleteObjects(
  names: readonly DeletedName[],
  { cluster, terminal, failures }: Deletion,
): Promise<ExitCode> {
  for (const { resource, name, namespace } of names) {
    await failures.attempt(async () => {
      const key = namespace === undefined ? { name } : { namespace, name };
      const left = await cluster.client.delete(resource, key);
      const isHeld = (left?.metadata.finalizers?.length ?? 0) > 0;
      const end = isHeld ? ' (it has finalizers)' : '';
      terminal.print(`${titleOf(resource, name)} deleted${end}`);
    });
  }
  failures.report(terminal);
  return failures.isEmpty ? EXIT_OK : EXIT_FAILED;
}
