import { isIPv4 } from 'node:net';
import { asJson } from '@keelson/structural-schema';
import { objectAt, textsAt } from '../json/json-members.ts';
import { parseAddress } from '../kinds/network/network-address.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOfMetadata, type StoredObject } from '../storage/stored-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';

export interface ServiceAddressesContext {
  readonly storage: Storage;
  readonly writer: ObjectWriter;
  readonly services: ServedResource;
  /** The resource of IPAddresses. */
  readonly addresses: ServedResource;
}

/**
 * Keeps an IPAddress for each address of a Service. kube-apiserver allocates addresses by creating these objects, and repairs
 * missing ones.
 */
export class ServiceAddresses {
  readonly #context: ServiceAddressesContext;
  readonly #stop: () => void;

  constructor(context: ServiceAddressesContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => {
      if (store === context.services.store) this.#changed(change);
    });
  }

  /** Creates the missing IPAddresses of the present Services. */
  repair(): void {
    for (const service of this.#context.services.store.values()) {
      for (const address of addressesOf(service)) this.#record(address, service);
    }
  }

  close(): void {
    this.#stop();
  }

  /** Writes at once, so that the addresses exist when the write of the Service returns. */
  #changed({ type, object, previous }: Change): void {
    const wanted = type === 'DELETED' ? [] : addressesOf(object);
    const present = previous === undefined ? [] : addressesOf(previous);
    for (const address of present) if (!wanted.includes(address)) this.#release(address);
    for (const address of wanted) if (!present.includes(address)) this.#record(address, object);
  }

  #release(address: string): void {
    const { store } = this.#context.addresses;
    const stored = store.get(keyOfMetadata({ name: address }));
    if (stored !== undefined) store.remove(stored);
  }

  #record(address: string, { metadata }: StoredObject): void {
    const { writer, addresses } = this.#context;
    if (addresses.store.get(keyOfMetadata({ name: address })) !== undefined) return;
    const { name = '', namespace = '' } = metadata;
    const object = {
      apiVersion: addresses.apiVersion,
      kind: addresses.facts.kind,
      metadata: {
        name: address,
        labels: {
          'ipaddress.kubernetes.io/ip-family': isIPv4(address) ? 'IPv4' : 'IPv6',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace, name } },
    };
    writer.create(addresses, object, {
      options: { dryRun: false, fieldManager: 'kube-apiserver' },
    });
  }
}

/** The addresses of a Service in canonical form; none for a headless one. A snapshot may have invalid ones. */
function addressesOf(service: StoredObject): readonly string[] {
  const spec = objectAt(asJson(service.parse()), 'spec');
  return textsAt(spec, 'clusterIPs').flatMap((address) => parseAddress(address)?.text ?? []);
}
