import { on } from 'node:events';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import { publishCaBundle } from '@keelson/webhook';
import type { ControllerOptions } from '../controller/controller-options.ts';
import type { Request } from '../reconcile/request.ts';
import type { WatchOptions } from '../sources/source-options.ts';
import type { SecretCertificate } from '../servers/secret-certificate.ts';

const { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } =
  builtin;
const NAME = 'webhook-ca-bundle';
/** A changed `caBundle` makes every review fail, so an attempt must not wait for long. */
const BACKOFF = { base: '1s', max: '10s' } as const;
/** Another controller that writes its own bundle meets ten writes at once, and then one every ten seconds. */
const EVENT_RATE = { burst: 10, perSecond: 0.1 } as const;

/**
 * Keeps the `caBundle` of configurations and definitions equal to the authorities, in the leader. It watches the
 * metadata of each object by its name, and reads an object that has changed. A request is the name of an object.
 */
export function caBundleController(certificate: SecretCertificate): ControllerOptions {
  const { configurations, definitions } = certificate.published;
  const names = [...new Set([...configurations, ...definitions])];
  return {
    name: NAME,
    watches: [
      ...configurations.map((name) => watchOf(ValidatingWebhookConfiguration, name)),
      ...configurations.map((name) => watchOf(MutatingWebhookConfiguration, name)),
      ...definitions.map((name) => watchOf(CustomResourceDefinition, name)),
    ],
    sources: [
      { name: 'authorities', requests: (signal) => afterChanges(certificate, names, signal) },
    ],
    backoff: BACKOFF,
    eventRate: EVENT_RATE,
    async reconcile({ name }, { client, log }) {
      const { service } = certificate;
      if (service === undefined) return;
      const isNamed = (other: string): boolean => other === name;
      const changed = await publishCaBundle(client, certificate, {
        service,
        configurations: configurations.filter(isNamed),
        definitions: definitions.filter(isNamed),
      });
      if (changed.length > 0) log.info({ objects: changed }, 'caBundle written');
    },
  };
}

/** The objects may be absent, and their watch may be forbidden: neither keeps the manager from being ready. */
function watchOf(resource: ApiResource, name: string): WatchOptions {
  return {
    resource,
    fieldSelector: `metadata.name=${name}`,
    projection: 'metadata',
    required: false,
    ignoreOwn: true,
    map: () => ({ name }),
  };
}

/** Yields each name at first, and after each change of the authorities. */
async function* afterChanges(
  { changes }: SecretCertificate,
  names: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Request> {
  // Before the first request, so that no change is missed.
  const changed = on(changes, 'change', { signal });
  const requests = names.map((name) => ({ name }));
  yield* requests;
  for await (const _ of changed) yield* requests;
}
