import { ensureObject, objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import { constants, type DefaultRules, fill } from '../../schema/default-rule.ts';

const externalTypes = new Set(['NodePort', 'LoadBalancer']);

/** The defaults of Services, endpoints and network policies. */
export const networkingDefaults: DefaultRules = {
  'core.v1.Service': completeAddresses,
  'core.v1.ServiceSpec': completeService,
  'core.v1.EndpointPort': constants({ protocol: 'TCP' }),
  'discovery.v1.EndpointPort': constants({ name: '', protocol: 'TCP' }),
  'networking.v1.NetworkPolicyPort': constants({ protocol: 'TCP' }),
  'networking.v1.NetworkPolicySpec': (spec) => {
    const hasEgress = objectsAt(spec, 'egress').length > 0;
    fill(spec, { policyTypes: hasEgress ? ['Ingress', 'Egress'] : ['Ingress'] });
  },
  'networking.v1.IngressClassParametersReference': constants({ scope: 'Cluster' }),
};

/** Sets `ipMode` of load balancer addresses if the object has this type; status writes may omit the type. */
function completeAddresses(service: JsonObject): void {
  if (objectAt(service, 'spec').type !== 'LoadBalancer') return;
  const addresses = objectAt(objectAt(service, 'status'), 'loadBalancer');
  for (const address of objectsAt(addresses, 'ingress')) {
    if (textAt(address, 'ip') !== '') fill(address, { ipMode: 'VIP' });
  }
}

function completeService(spec: JsonObject): void {
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  completeAffinity(spec);
  for (const port of objectsAt(spec, 'ports')) {
    if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port ?? 0;
  }
  const type = typeof spec.type === 'string' ? spec.type : '';
  if (type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (externalTypes.has(type) || (type === 'ClusterIP' && spec.externalIPs !== undefined)) {
    fill(spec, { externalTrafficPolicy: 'Cluster' });
  }
  if (type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
}

function completeAffinity(spec: JsonObject): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const clientIp = ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP');
  fill(clientIp, { timeoutSeconds: 10_800 });
}
