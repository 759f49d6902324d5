import type { CreateContext } from '../schema/kind-schema.ts';
import { type AddressRange, showAddress } from './address-range.ts';
import { failure } from '../status-errors/status-errors.ts';
import type { ResourceStore } from '../storage/resource-store.ts';

interface ServicePorts {
  spec?: { ports?: { nodePort?: number }[]; healthCheckNodePort?: number };
}

/** The default of kube-apiserver's `--service-node-port-range`. */
export const nodePorts = { first: 30_000, last: 32_767 };

/** Allocates addresses and node ports that no stored Service has. */
export function addressAllocator(
  services: ResourceStore,
  range: AddressRange,
): Omit<CreateContext, 'now'> {
  // The first address belongs to the Service `kubernetes`.
  const hosts = { first: range.first + 1, last: range.last };
  let host = range.first;
  let port = nodePorts.first - 1;
  return {
    allocateClusterIp() {
      const taken = new Set([...services.values()].map(({ fields }) => fields['spec.clusterIP']));
      host = nextFree(host, hosts, (candidate) => taken.has(showAddress(candidate)));
      return showAddress(host);
    },
    allocateNodePort() {
      const taken = takenPorts(services);
      port = nextFree(port, nodePorts, (candidate) => taken.has(candidate));
      return port;
    },
  };
}

/** Returns the next free number after the last allocated one, wrapping round at the end of the range. */
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

/** Returns the node ports of all stored Services. */
export function takenPorts(services: ResourceStore): Set<number | undefined> {
  const exposed = [...services.values()].filter(
    ({ fields }) => fields['spec.type'] !== 'ClusterIP',
  );
  return new Set(exposed.flatMap((stored) => portsOf(stored.parse() as ServicePorts)));
}

function portsOf({ spec = {} }: ServicePorts): (number | undefined)[] {
  return [...(spec.ports ?? []).map(({ nodePort }) => nodePort), spec.healthCheckNodePort];
}
