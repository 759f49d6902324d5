import type { DaemonSet, Node, Pod, PodTemplate } from '../objects/kinds.ts';
import { matchesNode, untoleratedTaint } from '../nodes/node-fit.ts';

type PodSpec = NonNullable<Pod['spec']>;
type Toleration = NonNullable<PodSpec['tolerations']>[number];

/** The taints that Pods of DaemonSets tolerate: those of nodes with problems. */
const TOLERATED: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Where the Pod of a DaemonSet may be on a node. */
export interface Placement {
  /** True if a Pod is created on the node. */
  readonly runs: boolean;
  /** True if a Pod that is on the node stays. */
  readonly stays: boolean;
}

/** Decides whether a node gets a Pod of a DaemonSet. */
export function placementOf({ spec }: DaemonSet, node: Node): Placement {
  const podSpec = spec?.template.spec;
  if (podSpec === undefined || (podSpec.nodeName ?? node.metadata.name) !== node.metadata.name)
    return { runs: false, stays: false };
  if (!matchesNode(podSpec, node)) return { runs: false, stays: false };
  const tolerations = tolerationsOf(podSpec);
  const stays = untoleratedTaint(tolerations, node, ['NoExecute']) === undefined;
  const runs = untoleratedTaint(tolerations, node, ['NoSchedule', 'NoExecute']) === undefined;
  return { runs, stays };
}

function tolerationsOf({ tolerations = [], hostNetwork }: Partial<PodSpec>): Toleration[] {
  const added = hostNetwork === true ? [...TOLERATED, NETWORK] : TOLERATED;
  const isGiven = ({ key, effect }: Toleration): boolean =>
    tolerations.some(
      (given) => given.key === key && given.effect === effect && given.operator === 'Exists',
    );
  return [...tolerations, ...added.filter((toleration) => !isGiven(toleration))];
}

/** The changes of a Pod of a DaemonSet: it may run on one node alone. */
export function daemonSpec(template: PodTemplate, node: string): Partial<PodSpec> {
  const { affinity } = template.spec ?? {};
  const onNode = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const nodeSelectorTerms = required?.nodeSelectorTerms.map((term) => ({
    ...term,
    matchFields: onNode,
  })) ?? [{ matchFields: onNode }];
  return {
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
      },
    },
    tolerations: tolerationsOf(template.spec ?? {}),
  };
}

/** The node of a Pod: the assigned one, or the only one that it may be assigned to. */
export function nodeOf({ spec }: Pod): string {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? [];
  return spec?.nodeName ?? terms[0]?.matchFields?.[0]?.values?.[0] ?? '';
}
