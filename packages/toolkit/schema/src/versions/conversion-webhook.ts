import { checkOptions, invalidOption, isDnsSubdomain } from '@keelson/apimachinery';

/** Where the API server finds the webhook that converts objects. */
export interface ConversionWebhook {
  /** The certificate authority of the webhook in PEM, encoded in base64. */
  readonly caBundle?: string;
  /** A Service of the cluster; excludes `url`. */
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    /** Default: `/convert/` and the name of the definition, such as `/convert/widgets.shop.example`. */
    readonly path?: string;
    /** Default: 443. */
    readonly port?: number;
  };
  /** An address outside the cluster, with `https:`; excludes `service`. */
  readonly url?: string;
}

const where = 'defineKind.convert.webhook';

/** Throws `INVALID_OPTION` for a webhook that the API server refuses. */
export function checkWebhook(webhook: ConversionWebhook): void {
  checkOptions(webhook, ['caBundle', 'service', 'url'], where);
  const { service, url, caBundle } = webhook;
  if ((service === undefined) === (url === undefined)) {
    throw invalidOption(where, 'must have either a service or a url');
  }
  if (url !== undefined) checkUrl(url);
  if (service !== undefined) checkService(service);
  const isBase64 = typeof caBundle === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(caBundle);
  if (caBundle !== undefined && !isBase64) throw wrong('caBundle', 'must be a text in base64');
}

/**
 * The Service in the definition of a kind whose conversion names none, as in projects of kubebuilder. `keelson manifests`
 * replaces it with the Service of the operator.
 */
export const webhookServicePlaceholder: {
  readonly namespace: 'system';
  readonly name: 'webhook-service';
} = { namespace: 'system', name: 'webhook-service' };

/** The address in the definition: the webhook of the options with a default path, or the placeholder. */
export function clientConfigOf(
  webhook: ConversionWebhook | undefined,
  definition: string,
): ConversionWebhook {
  const { service, ...others } = webhook ?? { service: webhookServicePlaceholder };
  if (service === undefined) return structuredClone(others);
  return structuredClone({ ...others, service: { path: `/convert/${definition}`, ...service } });
}

function checkUrl(url: unknown): void {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.host === '') {
    throw wrong('url', 'must be an address with https:');
  }
  const { username, password, search, hash } = parsed;
  if ([username, password, search, hash].some((part) => part !== '') || /[?#@]/.test(String(url))) {
    throw wrong('url', 'must have neither a user, a query nor a fragment');
  }
}

function checkService(service: NonNullable<ConversionWebhook['service']>): void {
  checkOptions(service, ['namespace', 'name', 'path', 'port'], `${where}.service`);
  const { namespace, name, path, port } = service;
  for (const [option, value] of Object.entries({ namespace, name })) {
    if (typeof value !== 'string' || value === '') {
      throw wrong(`service.${option}`, 'must be a name');
    }
  }
  if (path !== undefined && !isPath(path)) {
    throw wrong('service.path', 'must be a path such as /convert');
  }
  const isPort = Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535;
  if (port !== undefined && !isPort) throw wrong('service.port', 'must be from 1 to 65535');
}

/** Each segment is a DNS subdomain. */
function isPath(path: unknown): boolean {
  if (typeof path !== 'string' || !path.startsWith('/')) return false;
  if (path === '' || path === '/') return true;
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  return segments.every((segment) => isDnsSubdomain(segment));
}

function wrong(option: string, expected: string): Error {
  return invalidOption(`${where}.${option}`, expected);
}
