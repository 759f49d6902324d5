import { objectAt, objectsAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import type { ResourceList } from '../../kinds/shared/resource-list.ts';
import { countName, type QuotaEvaluator } from './quota-evaluator.ts';

const count = countName({ group: '', plural: 'services' });
const names: ReadonlySet<string> = new Set([
  count,
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

/** Counts Services, their node ports and load balancers. */
export const serviceEvaluator: QuotaEvaluator = {
  handles: ({ scope }) => scope === '',
  matching: (wanted) => wanted.filter((name) => names.has(name)),
  matchesScope: () => false,
  constraint: () => undefined,
  usage: (service) => usageOf(objectAt(service, 'spec')),
};

function usageOf(spec: JsonObject): ResourceList {
  return {
    [count]: '1',
    services: '1',
    'services.nodeports': String(nodePortsOf(spec)),
    'services.loadbalancers': spec.type === 'LoadBalancer' ? '1' : '0',
  };
}

function nodePortsOf(spec: JsonObject): number {
  const ports = objectsAt(spec, 'ports');
  if (spec.type === 'NodePort') return ports.length;
  if (spec.type !== 'LoadBalancer') return 0;
  const { allocateLoadBalancerNodePorts: allocates } = spec;
  return allocates === false
    ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
    : ports.length;
}
