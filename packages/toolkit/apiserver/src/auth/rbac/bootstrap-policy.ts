import { brotliDecompressSync } from 'node:zlib';
import { readDataFile } from '../../data-file.ts';
import type { PolicyRule } from './rbac-authorizer.ts';

/** A role or binding of a new server. */
export interface PolicyObject {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding';
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly {
      readonly matchLabels: Readonly<Record<string, string>>;
    }[];
  };
  readonly roleRef?: object;
  readonly subjects?: readonly object[];
}

let recorded: readonly PolicyObject[] | undefined;

/**
 * The initial roles and bindings of kube-apiserver 1.36 (`npm run record:policy`). The aggregated roles have the rules that the
 * controller of kube-controller-manager gives them.
 */
export function bootstrapPolicy(): readonly PolicyObject[] {
  recorded ??= aggregated(
    JSON.parse(brotliDecompressSync(readDataFile('policy.json.br')).toString()),
  );
  return recorded;
}

function aggregated(policy: readonly PolicyObject[]): PolicyObject[] {
  const rulesOf = (object: PolicyObject): readonly PolicyRule[] =>
    object.aggregationRule === undefined
      ? (object.rules ?? [])
      : policy.filter((other) => isAggregated(other, object)).flatMap(rulesOf);
  return policy.map((object) =>
    object.aggregationRule === undefined ? object : { ...object, rules: rulesOf(object) },
  );
}

/** Whether the rules of a role become part of another. The list is sorted by name, as the controller sorts it. */
function isAggregated({ metadata: { labels = {} } }: PolicyObject, into: PolicyObject): boolean {
  const selectors = into.aggregationRule?.clusterRoleSelectors ?? [];
  return selectors.some(({ matchLabels }) =>
    Object.entries(matchLabels).every(([label, value]) => labels[label] === value),
  );
}
