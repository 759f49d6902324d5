import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';

/** The warnings for a Service. */
export function serviceWarnings(service: JsonObject): string[] {
  const spec = objectAt(service, 'spec');
  const isExternalName = spec.type === 'ExternalName';
  const hasAddresses = textsAt(spec, 'externalIPs').length > 0;
  const hints = 'service.kubernetes.io/topology-aware-hints';
  const annotations = objectAt(objectAt(service, 'metadata'), 'annotations');
  return [
    ...when(
      annotations[hints] !== undefined,
      `annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ),
    ...(isHeadless(spec)
      ? headlessWarnings(spec, hasAddresses)
      : when(
          hasAddresses && !isExternalName,
          'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
        )),
    ...when(
      isExternalName && hasAddresses,
      'spec.externalIPs is ignored when spec.type is "ExternalName"',
    ),
    ...when(
      !isExternalName && textAt(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...when(
      spec.trafficDistribution === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ];
}

function headlessWarnings(spec: JsonObject, hasAddresses: boolean): string[] {
  return [
    ...when(
      textAt(spec, 'loadBalancerIP') !== '',
      'spec.loadBalancerIP is ignored for headless services',
    ),
    ...when(hasAddresses, 'spec.externalIPs is ignored for headless services'),
    ...when(
      spec.sessionAffinity !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
  ];
}

function isHeadless(spec: JsonObject): boolean {
  return spec.type === 'ClusterIP' && spec.clusterIP === 'None';
}

function when(isSo: boolean, warning: string): string[] {
  return isSo ? [warning] : [];
}
