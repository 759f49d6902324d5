import {
  builtin,
  isConflict,
  isNotFound,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { WebhookError } from '../errors.ts';

/** The objects whose `caBundle` is kept equal to the authorities of a webhook server. */
export interface CaBundleTargets {
  /** Only webhooks that call this Service are changed. */
  readonly service: { readonly namespace: string; readonly name: string };
  /** The names of ValidatingWebhookConfigurations and MutatingWebhookConfigurations. One that is missing is skipped. */
  readonly configurations: readonly string[];
  /** The names of CustomResourceDefinitions with a conversion webhook. One that is missing is skipped. */
  readonly definitions: readonly string[];
}

/** The authorities of a webhook server, such as a `CertificateSecret`. */
export interface Authorities {
  /** Their certificates in PEM; `undefined` before the start, when nothing is published. */
  readonly bundle: string | undefined;
  /** Reads them again: another replica may have renewed them. */
  refresh(): Promise<void>;
}

interface ClientConfig {
  readonly service?: { readonly namespace?: string; readonly name?: string };
  readonly caBundle?: string;
}

interface Configuration extends KubernetesObject {
  readonly webhooks?: readonly { readonly clientConfig: ClientConfig }[];
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: ClientConfig } };
  };
}

/** Writes of one object that may meet the write of another client in a row. */
const MAX_ATTEMPTS = 5;

/**
 * Writes the authorities into the configurations and definitions whose `caBundle` differs. Returns the names of the
 * changed objects. Rejects with `CA_BUNDLE_CONFLICT` if other clients keep changing an object.
 *
 * The authorities are refreshed between the read and the write of an object. If another replica publishes newer ones in the
 * meantime, the write is a conflict, so that it never replaces them.
 */
export async function publishCaBundle(
  client: Pick<Client, 'get' | 'update'>,
  authorities: Authorities,
  { service, configurations, definitions }: CaBundleTargets,
): Promise<readonly string[]> {
  const withBundle = (config: ClientConfig): ClientConfig => {
    const { namespace, name } = config.service ?? {};
    const isOurs = namespace === service.namespace && name === service.name;
    const { bundle } = authorities;
    if (bundle === undefined) return config;
    const caBundle = Buffer.from(bundle).toString('base64');
    return isOurs && config.caBundle !== caBundle ? { ...config, caBundle } : config;
  };
  const { ValidatingWebhookConfiguration, MutatingWebhookConfiguration } = builtin;
  const changed: string[] = [];
  const publish = async (kind: object, name: string, change: Change): Promise<void> => {
    const resource = kind as ApiResource;
    const write = { resource, name, change, refresh: () => authorities.refresh() };
    if (await updated(client, write)) changed.push(`${resource.kind} ${name}`);
  };
  for (const name of configurations) {
    await publish(ValidatingWebhookConfiguration, name, configurationWith(withBundle));
    await publish(MutatingWebhookConfiguration, name, configurationWith(withBundle));
  }
  for (const name of definitions) {
    await publish(builtin.CustomResourceDefinition, name, definitionWith(withBundle));
  }
  return changed;
}

/** Returns the changed object; the same one if nothing changes. */
type Change = (object: KubernetesObject) => KubernetesObject;
type ChangeConfig = (config: ClientConfig) => ClientConfig;

function configurationWith(change: ChangeConfig): Change {
  return (object) => {
    const { webhooks = [] } = object as Configuration;
    const next = webhooks.map((webhook) => {
      const clientConfig = change(webhook.clientConfig);
      return clientConfig === webhook.clientConfig ? webhook : { ...webhook, clientConfig };
    });
    const isSame = next.every((webhook, index) => webhook === webhooks[index]);
    return isSame ? object : ({ ...object, webhooks: next } as KubernetesObject);
  };
}

function definitionWith(change: ChangeConfig): Change {
  return (object) => {
    const { spec } = object as Definition;
    const webhook = spec.conversion?.webhook;
    if (webhook?.clientConfig === undefined) return object;
    const clientConfig = change(webhook.clientConfig);
    if (clientConfig === webhook.clientConfig) return object;
    const conversion = { ...spec.conversion, webhook: { ...webhook, clientConfig } };
    return { ...object, spec: { ...spec, conversion } } as KubernetesObject;
  };
}

/** A change of one object. */
interface BundleWrite {
  readonly resource: ApiResource;
  readonly name: string;
  readonly change: Change;
  /** Called before `change` decides what is written. */
  readonly refresh: () => Promise<void>;
}

/** Returns true if the object was changed; false if it is missing or has the bundle. */
async function updated(
  client: Pick<Client, 'get' | 'update'>,
  { resource, name, change, refresh }: BundleWrite,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      const object = await client.get(resource, { name });
      if (change(object) === object) return false;
      await refresh();
      const next = change(object);
      if (next === object) return false;
      await client.update(resource, next);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error)) throw error;
    }
  }
  throw new WebhookError('CA_BUNDLE_CONFLICT', { kind: resource.kind, name });
}
