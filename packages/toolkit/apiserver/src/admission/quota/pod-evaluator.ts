import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { isJsonObject, isNumeric, type JsonObject } from '@keelson/structural-schema';
import { qosClassOf } from '../../kinds/pods/qos-class.ts';
import { podResources, sideOf } from '../../kinds/pods/pod-resources.ts';
import {
  addLists,
  pickFrom,
  type ResourceList,
  resourceList,
} from '../../kinds/shared/resource-list.ts';
import { countName, type QuotaEvaluator } from './quota-evaluator.ts';
import { type ScopeSelector, selects } from './quota-scope.ts';

const count = countName({ group: '', plural: 'pods' });
const measured = ['cpu', 'memory', 'ephemeral-storage'];
const names: ReadonlySet<string> = new Set([
  count,
  'pods',
  ...measured,
  ...measured.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
/** The resources that each container must set if a quota limits them. */
const mustBeNamed = ['cpu', 'memory'].flatMap((name) => [
  name,
  `requests.${name}`,
  `limits.${name}`,
]);

/** Counts pods by requests and limits until they have terminated. */
export const podEvaluator: QuotaEvaluator = {
  handles: ({ scope, object, old }) => {
    if (scope === 'resize') return old !== undefined;
    return scope === '' && (old === undefined || hasDeadline(object) !== hasDeadline(old));
  },
  matching: (wanted) => wanted.filter((name) => names.has(name) || isExtended(name)),
  matchesScope,
  constraint,
  usage: (pod, now) =>
    hasEnded(pod, now) ? { [count]: '1' } : { [count]: '1', ...usageOf(totals(pod)) },
};

/** Matches `hugepages-2Mi`, `requests.hugepages-2Mi` and `requests.nvidia.com/gpu`. */
function isExtended(name: string): boolean {
  return /^(requests\.)?hugepages-/.test(name) || /^requests\.[^/]+\/./.test(name);
}

function matchesScope(selector: ScopeSelector, pod: JsonObject): boolean {
  const spec = objectAt(pod, 'spec');
  switch (selector.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'PriorityClass':
      return selects(selector, textAt(spec, 'priorityClassName'));
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(spec);
    default:
      return false;
  }
}

function hasDeadline(pod: JsonObject): boolean {
  const { activeDeadlineSeconds } = objectAt(pod, 'spec');
  return isNumeric(activeDeadlineSeconds) && activeDeadlineSeconds >= 0;
}

function reachesOtherNamespaces(spec: JsonObject): boolean {
  const affinity = objectAt(spec, 'affinity');
  const rules = ['podAffinity', 'podAntiAffinity'].map((member) => objectAt(affinity, member));
  const terms = rules.flatMap((rule) => [
    ...objectsAt(rule, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ...objectsAt(rule, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) =>
      objectAt(term, 'podAffinityTerm'),
    ),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (Array.isArray(namespaces) && namespaces.length > 0) || isJsonObject(namespaceSelector),
  );
}

function constraint(wanted: readonly string[], pod: JsonObject): string | undefined {
  const spec = objectAt(pod, 'spec');
  const own = objectAt(spec, 'resources');
  if (own.requests !== undefined || own.limits !== undefined) return undefined;
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const problems = mustBeNamed.toSorted().flatMap((name) => {
    if (!wanted.includes(name)) return [];
    const silent = containers.filter((each) => usageOf(ofContainer(each))[name] === undefined);
    const missing = silent.map((container) => textAt(container, 'name')).toSorted();
    return missing.length === 0 ? [] : [`${name} for: ${missing.join(',')}`];
  });
  return problems.length === 0 ? undefined : `must specify ${problems.join('; ')}`;
}

interface Sides {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function ofContainer(container: JsonObject): Sides {
  return { requests: sideOf(container, 'requests'), limits: sideOf(container, 'limits') };
}

/** The totals of the pod plus the overhead of its runtime class. */
function totals(pod: JsonObject): Sides {
  const spec = objectAt(pod, 'spec');
  const overhead = resourceList(objectAt(spec, 'overhead'));
  const limits = podResources(spec, 'limits');
  return {
    requests: addLists(podResources(spec, 'requests'), overhead),
    limits: addLists(limits, pickFrom(overhead, Object.keys(limits))),
  };
}

function usageOf({ requests, limits }: Sides): ResourceList {
  const usage: Record<string, string> = { pods: '1' };
  for (const name of measured) {
    const [request, limit] = [requests[name], limits[name]];
    if (request !== undefined)
      Object.assign(usage, { [name]: request, [`requests.${name}`]: request });
    if (limit !== undefined) usage[`limits.${name}`] = limit;
  }
  for (const [name, request] of Object.entries(requests)) {
    if (name.startsWith('hugepages-')) usage[name] = request;
    if (name.startsWith('hugepages-') || name.includes('/')) usage[`requests.${name}`] = request;
  }
  return usage;
}

/** True if a pod is terminated, or its grace period after deletion has expired. */
function hasEnded(pod: JsonObject, now: number): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = objectAt(pod, 'metadata');
  if (typeof deletionTimestamp !== 'string') return false;
  if (!isNumeric(deletionGracePeriodSeconds)) return false;
  return now > Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}
