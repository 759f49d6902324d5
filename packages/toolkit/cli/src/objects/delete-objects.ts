import type { KubernetesObject } from '@keelson/apimachinery';
import { Failures } from '../terminal/failures.ts';
import { EXIT_FAILED, EXIT_OK, type ExitCode, type Terminal } from '../terminal/terminal.ts';
import { resourceOfKind, titleOf, type Served } from './find-resource.ts';
import type { ObjectQuery } from './get-objects.ts';
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

/** The names of objects, in reverse order: those that others need come last. */
export async function namesOfObjects(
  objects: readonly KubernetesObject[],
  given: string | undefined,
  { client, namespace: fallback }: ChosenCluster,
): Promise<readonly DeletedName[]> {
  const found: DeletedName[] = [];
  for (const { apiVersion = '', kind = '', metadata } of objects.toReversed()) {
    const resource = await resourceOfKind(client, apiVersion, kind);
    const namespace = resource.namespaced ? (metadata?.namespace ?? given ?? fallback) : undefined;
    found.push({ resource, name: metadata?.name ?? '', namespace });
  }
  return found;
}

/** Deletes objects. It does not wait for their finalizers. */
export async function deleteObjects(
  names: readonly DeletedName[],
  { cluster, terminal }: { readonly cluster: ChosenCluster; readonly terminal: Terminal },
): Promise<ExitCode> {
  const failures = new Failures();
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
