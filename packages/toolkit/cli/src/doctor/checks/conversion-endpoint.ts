import { builtin, isNotFound } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** The Service of a webhook. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port?: number;
}

/** The reason why a webhook cannot be called, with its cure. */
export interface WebhookProblem {
  readonly detail: string;
  readonly cure: string;
}

/** The label of the EndpointSlices of a Service. */
const SERVICE_LABEL = 'kubernetes.io/service-name';

const HTTPS_PORT = 443;

/** Returns why API servers reach no Pod of a Service: it is missing, lacks the port, or has no ready endpoint. */
export async function endpointProblem(
  client: Client,
  { namespace, name, port = HTTPS_PORT }: WebhookService,
  signal: AbortSignal,
): Promise<WebhookProblem | undefined> {
  const ports = await portsOf(client, { namespace, name }, signal);
  const shown = `the Service ${namespace}/${name}`;
  if (ports === undefined) {
    return { detail: `${shown} does not exist`, cure: 'apply the manifests of the operator' };
  }
  if (!ports.includes(port)) {
    return { detail: `${shown} has no port ${port}`, cure: 'correct the port of the Service' };
  }
  const selector = { namespace, labelSelector: `${SERVICE_LABEL}=${name}`, signal };
  const { items } = await client.list(builtin.EndpointSlice, selector);
  const endpoints = items.flatMap(({ endpoints: each = [] }) => each);
  // A missing condition means ready.
  if (endpoints.some(({ conditions }) => conditions?.ready ?? true)) return undefined;
  const cure = `start the operator; see kubectl get pods -n ${namespace}`;
  return { detail: `${shown} has no ready endpoint`, cure };
}

async function portsOf(
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  try {
    const { spec } = await client.get(builtin.Service, key, { signal });
    return (spec?.ports ?? []).map(({ port }) => port);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
