import { matchesLabels, type LabelRequirement } from '@keelson/apimachinery';
import type { Node, Pod } from '../objects/kinds.ts';

type PodSpec = NonNullable<Pod['spec']>;
type Toleration = NonNullable<PodSpec['tolerations']>[number];
type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];
type Affinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;
type Term = NonNullable<
  Affinity['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

/** True if the node has the labels and the name that the Pod requires. */
export function matchesNode(
  { nodeSelector = {}, affinity }: Partial<PodSpec>,
  node: Node,
): boolean {
  const { labels = {} } = node.metadata;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(nodeSelector).every(([name, value]) => labels[name] === value) &&
    (terms === undefined || terms.some((term) => matchesTerm(term, node)))
  );
}

function matchesTerm(
  { matchExpressions = [], matchFields = [] }: Term,
  { metadata }: Node,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesLabels(matchExpressions.map(toLabelRequirement), metadata.labels) &&
    matchesLabels(matchFields.map(toLabelRequirement), { 'metadata.name': metadata.name })
  );
}

/** The API server has validated the operator. */
function toLabelRequirement({ key, operator, values = [] }: Requirement): LabelRequirement {
  const name = operator === 'DoesNotExist' ? 'notexists' : operator.toLowerCase();
  return { key, operator: name as LabelRequirement['operator'], values };
}

/** The first taint with one of the effects that no toleration covers. */
export function untoleratedTaint(
  tolerations: readonly Toleration[] = [],
  node: Node,
  effects: readonly string[],
): Taint | undefined {
  return (node.spec?.taints ?? []).find(
    (taint) =>
      effects.includes(taint.effect) &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** True if a toleration covers a taint. */
export function tolerates(
  { key = '', effect = '', operator, value = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}
