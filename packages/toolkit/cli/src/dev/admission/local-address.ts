import type { KubernetesObject } from '@keelson/apimachinery';

/** The webhook server of a program on this machine. */
export interface LocalAddress {
  /** Such as `https://127.0.0.1:9443`. */
  readonly url: string;
  /** The authority of its certificate in PEM. */
  readonly ca: string;
  /** The user of the session itself, whose requests while no program runs must not need it. */
  readonly exemptUser: string;
}

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly path?: string };
}

interface Webhook {
  readonly clientConfig?: ClientConfig;
  readonly matchConditions?: readonly object[];
}

/** Replaces the Service of each webhook of a configuration by the address, and exempts the user of the session. */
export function withLocalWebhooks(
  configuration: KubernetesObject,
  address: LocalAddress,
): KubernetesObject {
  const { webhooks = [] } = configuration as { webhooks?: Webhook[] };
  const name = 'session.keelson.dev';
  const expression = `request.userInfo.username != '${address.exemptUser}'`;
  const local = webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: localConfig(webhook.clientConfig, address),
    matchConditions: [...(webhook.matchConditions ?? []), { name, expression }],
  }));
  return { ...configuration, webhooks: local } as KubernetesObject;
}

interface Converted extends KubernetesObject {
  readonly spec?: { readonly conversion?: { readonly webhook?: { clientConfig?: ClientConfig } } };
}

/** True for a definition whose objects a webhook converts. */
export function hasConversion(definition: KubernetesObject): boolean {
  return (definition as Converted).spec?.conversion?.webhook !== undefined;
}

/** Replaces the Service of the conversion of a definition by the address. */
export function withLocalConversion(
  definition: KubernetesObject,
  address: LocalAddress,
): KubernetesObject {
  const { spec } = definition as Converted;
  const webhook = spec?.conversion?.webhook;
  if (webhook === undefined) return definition;
  const clientConfig = localConfig(webhook.clientConfig, address);
  const conversion = { ...spec?.conversion, webhook: { ...webhook, clientConfig } };
  return { ...definition, spec: { ...spec, conversion } } as KubernetesObject;
}

function localConfig({ url, service }: ClientConfig = {}, address: LocalAddress): object {
  const path = url === undefined ? (service?.path ?? '') : new URL(url).pathname;
  const caBundle = Buffer.from(address.ca).toString('base64');
  return { url: `${address.url}${path}`, caBundle };
}
