import { builtin, invalidOption, type KubernetesObject } from '@keelson/apimachinery';
import { EnvtestError } from '../errors.ts';
import { readDocuments } from '../files/read-documents.ts';

/** The server of a test that the API server calls as a webhook. */
export interface WebhookServerAddress {
  /** Its address with `https:`, such as `https://127.0.0.1:9443`. A path comes before the paths of the webhooks. */
  readonly url: string;
  /** The authority of its certificate in PEM. The certificate must be valid for the host of `url`. */
  readonly ca: string;
}

/** Objects with webhooks, by what they are. */
export interface WebhookObjects {
  readonly validating: readonly KubernetesObject[];
  readonly mutating: readonly KubernetesObject[];
  /** Definitions with a conversion webhook. */
  readonly definitions: readonly KubernetesObject[];
}

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly path?: string };
  readonly [member: string]: unknown;
}

/**
 * Reads webhook configurations, and definitions with conversion webhooks, from objects and from the YAML or JSON files of
 * paths, and lets all of them call the server of the test. Throws `WEBHOOKS_NOT_FOUND` and `INVALID_OPTION`.
 */
export async function webhookObjects(
  sources: readonly (KubernetesObject | string)[],
  server: WebhookServerAddress,
): Promise<WebhookObjects> {
  checkServer(server);
  const read = await Promise.all(sources.map(objectsOf));
  const objects = read.flat();
  const of = (resource: { readonly kind: string }): KubernetesObject[] =>
    objects.filter(({ kind }) => kind === resource.kind);
  return {
    validating: of(builtin.ValidatingWebhookConfiguration).map((each) => configured(each, server)),
    mutating: of(builtin.MutatingWebhookConfiguration).map((each) => configured(each, server)),
    definitions: of(builtin.CustomResourceDefinition).map((each) => converting(each, server)),
  };
}

function checkServer({ url, ca }: WebhookServerAddress): void {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.search !== '' || parsed.hash !== '') {
    throw invalidOption('installWebhooks.url', 'must be an address with https:');
  }
  if (typeof ca !== 'string' || !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw invalidOption('installWebhooks.ca', 'must be a certificate in PEM');
  }
}

async function objectsOf(source: KubernetesObject | string): Promise<KubernetesObject[]> {
  if (typeof source !== 'string') return [source];
  const found = (await documentsOf(source)).filter(hasWebhooks);
  if (found.length > 0) return found;
  throw new EnvtestError('WEBHOOKS_NOT_FOUND', { path: source });
}

async function documentsOf(path: string): Promise<unknown[]> {
  try {
    return await readDocuments(path);
  } catch (cause) {
    throw new EnvtestError('WEBHOOKS_NOT_FOUND', { path }, { cause });
  }
}

function hasWebhooks(document: unknown): document is KubernetesObject {
  const object = (document ?? {}) as KubernetesObject & {
    spec?: { conversion?: { webhook?: unknown } };
  };
  const { kind, spec } = object;
  if (kind === builtin.CustomResourceDefinition.kind)
    return spec?.conversion?.webhook !== undefined;
  return (
    kind === builtin.ValidatingWebhookConfiguration.kind ||
    kind === builtin.MutatingWebhookConfiguration.kind
  );
}

function configured(object: KubernetesObject, server: WebhookServerAddress): KubernetesObject {
  const { webhooks = [] } = object as { webhooks?: readonly { clientConfig?: ClientConfig }[] };
  return {
    ...object,
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      clientConfig: clientConfigOf(webhook.clientConfig ?? {}, server),
    })),
  } as KubernetesObject;
}

interface Definition extends KubernetesObject {
  readonly spec?: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: ClientConfig } };
  };
}

function converting(object: KubernetesObject, server: WebhookServerAddress): KubernetesObject {
  const { spec } = object as Definition;
  const webhook = spec?.conversion?.webhook;
  if (webhook === undefined) return object;
  const clientConfig = clientConfigOf(webhook.clientConfig ?? {}, server);
  const conversion = { ...spec?.conversion, webhook: { ...webhook, clientConfig } };
  return { ...object, spec: { ...spec, conversion } } as KubernetesObject;
}

/** The path of a Service or URL stays; everything else is the server of the test. */
function clientConfigOf(
  { url, service }: ClientConfig,
  server: WebhookServerAddress,
): { url: string; caBundle: string } {
  const path = url === undefined ? (service?.path ?? '') : new URL(url).pathname;
  return {
    url: `${server.url.replace(/\/$/, '')}${path.startsWith('/') || path === '' ? path : `/${path}`}`,
    caBundle: Buffer.from(server.ca).toString('base64'),
  };
}
