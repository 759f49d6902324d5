import { objectAt, objectsAt, textAt } from '../json/json-members.ts';
import { asJson } from '@keelson/structural-schema';
import type { ResourceStore } from '../storage/resource-store.ts';
import { keyOfMetadata } from '../storage/stored-object.ts';
import type { WebhookAddress, WebhookService } from './webhook-client.ts';

/** Addresses of the Services of webhooks: `NAMESPACE/NAME` → `HOST:PORT`. */
export type WebhookServices = ReadonlyMap<string, string>;

/**
 * Returns the address of the Service of a webhook: the given one, or that of the Service in the cluster. Throws an error
 * with the message of kube-apiserver (`pkg/util/proxy/proxy.go` of apiserver).
 */
export function webhookAddress(
  { namespace, name, port }: WebhookService,
  services: ResourceStore,
  given: WebhookServices,
): WebhookAddress {
  const known = given.get(`${namespace}/${name}`);
  if (known !== undefined) {
    const { hostname, port: own } = new URL(`https://${known}`);
    return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(own) || port };
  }
  const stored = services.get(keyOfMetadata({ namespace, name }));
  if (stored === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const spec = objectAt(asJson(stored.parse()), 'spec');
  if (spec.type === 'ExternalName') return { host: textAt(spec, 'externalName'), port };
  if (spec.clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
  if (!objectsAt(spec, 'ports').some((each) => each.port === port)) {
    throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  }
  return { host: textAt(spec, 'clusterIP'), port };
}
