import type { KubernetesObject } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject } from '../../types/definition/custom-kind.ts';
import { placeholderService } from '../operator/placeholder-service.ts';
import type { Definition } from '../operator/operator-sources.ts';
import { place } from '../values/placed.ts';
import type { ObjectGroup } from './object-group.ts';
import type { OperatorParts } from './operator-parts.ts';
import { injectionOf, serviceName } from './webhook.ts';

/**
 * The file of a definition. A conversion that names no Service gets that of the operator, and cert-manager writes its
 * `caBundle`. The chart then has the definition as a template, because it has the namespace of the release.
 */
export function definitionGroup(
  parts: OperatorParts,
  { object, kind: { plural, group } }: Definition,
): ObjectGroup {
  const name = `${plural}.${group}`;
  const service = placeholderService(object);
  if (service === undefined) return { name, location: 'definitions', objects: [object] };
  const own = { ...service, namespace: place(parts.namespace), name: serviceName(parts) };
  return {
    name,
    location: 'definitions',
    isTemplate: true,
    objects: [withService(parts, object, own)],
  };
}

function withService(
  parts: OperatorParts,
  object: JsonObject,
  service: JsonObject,
): KubernetesObject {
  const spec = membersOf(object['spec']);
  const conversion = membersOf(spec['conversion']);
  const webhook = membersOf(conversion['webhook']);
  const clientConfig = { ...membersOf(webhook['clientConfig']), service };
  const metadata = membersOf(object['metadata']);
  const annotations = {
    ...membersOf(metadata['annotations']),
    ...injectionOf(parts),
    // An uninstallation of the chart would delete every object of the kind.
    'helm.sh/resource-policy': 'keep',
  };
  return {
    ...object,
    metadata: { ...metadata, annotations },
    spec: { ...spec, conversion: { ...conversion, webhook: { ...webhook, clientConfig } } },
  } as KubernetesObject;
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
