import type { CreateContext } from '../schema/kind-schema.ts';
import { failure } from '../status-answers.ts';
import type { ResourceStore } from '../storage/resource-store.ts';

interface ServicePorts {
  spec?: { ports?: { nodePort?: number }[] };
}

/** `10.96.0.0/16`; the first address belongs to the Service `kubernetes`. */
const hosts = { first: 2, last: 65_534 };
const nodePorts = { first: 30_000, last: 32_767 };

/** Gives out Service addresses and node ports that no stored Service has. */
export function addressAllocator(services: ResourceStore): Omit<CreateContext, 'now'> {
  let host = hosts.first - 1;
  let port = nodePorts.first - 1;
  return {
    allocateClusterIp() {
      const taken = new Set([...services.values()].map(({ fields }) => fields['spec.clusterIP']));
      host = nextFree(host, hosts, (candidate) => taken.has(addressOf(candidate)));
      return addressOf(host);
    },
    allocateNodePort() {
      const taken = takenPorts(services);
      port = nextFree(port, nodePorts, (candidate) => taken.has(candidate));
      return port;
    },
  };
}

/** Goes round the range once, beginning behind the number that was given out last. */
function nextFree(
  last: number,
  range: { readonly first: number; readonly last: number },
  isTaken: (candidate: number) => boolean,
): number {
  const size = range.last - range.first + 1;
  for (let step = 1; step <= size; step++) {
    const candidate = range.first + ((last - range.first + step) % size);
    if (!isTaken(candidate)) return candidate;
  }
  throw failure(500, 'InternalError', 'Internal error occurred: the range is full');
}

function takenPorts(services: ResourceStore): Set<number | undefined> {
  const exposed = [...services.values()].filter(
    ({ fields }) => fields['spec.type'] !== 'ClusterIP',
  );
  const ports = exposed.flatMap((stored) => (stored.parse() as ServicePorts).spec?.ports ?? []);
  return new Set(ports.map(({ nodePort }) => nodePort));
}

function addressOf(host: number): string {
  return `10.96.${host >> 8}.${host & 255}`;
}
