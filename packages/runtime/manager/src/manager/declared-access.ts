import { builtin, type ApiResource } from '@keelson/apimachinery';
import type { LeaderElectionSettings } from '../leader-election/leader-election-options.ts';

/** A query that a controller watches. */
export interface DeclaredSource {
  readonly resource: ApiResource;
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
}

/**
 * The access that a manager needs by its options, before any request. It has the form of the options of `observedRules`
 * and `checkRoles` of `@keelson/envtest`.
 */
export interface DeclaredAccess {
  /** The sources of all controllers in the main cluster, each once. They need `get list watch`. */
  readonly sources: readonly DeclaredSource[];
  /** The names of objects that are the same in every cluster: that of the Lease, with leader election. */
  readonly fixedNames: readonly {
    readonly resource: ApiResource;
    readonly names: readonly string[];
  }[];
}

/** Unites the sources of controllers. */
export function declaredAccess(
  sources: readonly DeclaredSource[],
  election: Pick<LeaderElectionSettings, 'lease'> | undefined,
): DeclaredAccess {
  const byText = new Map(
    sources.map(({ resource, namespace }) => {
      const { group, version, plural } = resource;
      return [JSON.stringify([group, version, plural, namespace]), { resource, namespace }];
    }),
  );
  const names = election === undefined ? [] : [election.lease];
  return {
    sources: [...byText.values()],
    fixedNames: names.length === 0 ? [] : [{ resource: builtin.Lease, names }],
  };
}
