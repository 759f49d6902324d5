import { builtin, isDeleting, ownerReferenceTo } from '@keelson/apimachinery';
import type { Request } from '@keelson/manager';
import { CONCURRENCY, ignoreMissing, retried, type Control, type Run } from '../control/control.ts';
import { compareTexts } from '../objects/counts.ts';
import { equalJson } from '../objects/equal-json.ts';
import type { Pod, Service } from '../objects/kinds.ts';
import { selects } from '../objects/selects.ts';
import { isFinished, isReady, isTerminating } from '../pods/pod-state.ts';

type Port = NonNullable<NonNullable<Service['spec']>['ports']>[number];

const SERVICE_LABEL = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const HEADLESS = 'service.kubernetes.io/headless';
const CONTROLLER = 'endpointslice-controller.k8s.io';
/** The endpoints of one EndpointSlice. */
const MAX_ENDPOINTS = 100;

/** Keeps the EndpointSlices of Services with the addresses of the Pods that they select. */
export function addEndpointSliceController({ manager }: Control): void {
  manager.addController({
    name: 'endpointslice',
    for: builtin.Service,
    owns: [builtin.EndpointSlice],
    watches: [
      {
        resource: builtin.Pod,
        map: ({ metadata }, { cache }) =>
          cache
            .list(builtin.Service, { namespace: metadata.namespace ?? '' })
            .filter(
              ({ spec }) =>
                spec?.selector && selects({ matchLabels: spec.selector }, metadata.labels),
            )
            .map((service) => service.metadata),
      },
    ],
    concurrency: CONCURRENCY,
    reconcile: retried(reconcile),
  });
}

async function reconcile(name: Request, { cache, client }: Run): Promise<void> {
  const service = cache.get(builtin.Service, name);
  const { selector, type } = service?.spec ?? {};
  if (
    service === undefined ||
    isDeleting(service) ||
    selector === undefined ||
    type === 'ExternalName'
  )
    return;
  const pods = cache
    .list(builtin.Pod, { namespace: service.metadata.namespace })
    .filter(({ metadata }) => selects({ matchLabels: selector }, metadata.labels))
    .filter((pod) => (pod.status?.podIP ?? '') !== '' && !isFinished(pod))
    .toSorted((one, other) => compareTexts(one.metadata.name, other.metadata.name));
  const wanted = slicesOf(service, pods);
  const present = cache
    .owned(builtin.EndpointSlice, service)
    .toSorted((one, other) => compareTexts(one.metadata.name, other.metadata.name));
  for (const [at, slice] of wanted.entries()) {
    const known = present[at];
    if (known === undefined) await client.create(builtin.EndpointSlice, slice);
    else if (!isSame(known, slice)) {
      const metadata = { ...known.metadata, labels: slice.metadata.labels };
      await client.update(builtin.EndpointSlice, { ...known, ...slice, metadata });
    }
  }
  for (const { metadata } of present.slice(wanted.length))
    await ignoreMissing(client.delete(builtin.EndpointSlice, metadata));
}

type NewSlice = ReturnType<typeof sliceOf>;

function isSame(
  known: {
    readonly metadata: { readonly labels?: object };
    readonly endpoints?: unknown;
    readonly ports?: unknown;
  },
  { metadata, endpoints, ports }: NewSlice,
): boolean {
  return equalJson(
    [known.metadata.labels, known.endpoints ?? [], known.ports ?? []],
    [metadata.labels, endpoints, ports],
  );
}

/** One slice for each set of ports and each hundred Pods, at least one. */
function slicesOf(service: Service, pods: readonly Pod[]): NewSlice[] {
  const groups = Map.groupBy(pods, (pod) => JSON.stringify(portsOf(service, pod)));
  if (groups.size === 0) return [sliceOf(service, [])];
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / MAX_ENDPOINTS) }, (_, at) =>
      sliceOf(service, group.slice(at * MAX_ENDPOINTS, (at + 1) * MAX_ENDPOINTS)),
    ),
  );
}

function sliceOf(service: Service, pods: readonly Pod[]) {
  const { namespace, name, labels } = service.metadata;
  const isHeadless = service.spec?.clusterIP === 'None';
  const [first] = pods;
  return {
    metadata: {
      namespace,
      generateName: `${name}-`,
      labels: {
        ...labels,
        [SERVICE_LABEL]: name,
        [MANAGED_BY]: CONTROLLER,
        ...(isHeadless && { [HEADLESS]: '' }),
      },
      ownerReferences: [ownerReferenceTo(service, { controller: true, blockOwnerDeletion: true })],
    },
    addressType: 'IPv4',
    endpoints: pods.map((pod) => endpointOf(service, pod)),
    ports: first === undefined ? [] : portsOf(service, first),
  };
}

function endpointOf({ metadata: { name: service }, spec: own }: Service, pod: Pod) {
  const { metadata, spec, status } = pod;
  const { namespace, name, uid } = metadata;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const isPublished = own?.publishNotReadyAddresses === true;
  const hasName = spec?.hostname !== undefined && spec.subdomain === service;
  return {
    addresses: [status?.podIP ?? ''],
    conditions: { ready: isPublished || (serving && !terminating), serving, terminating },
    ...(hasName && { hostname: spec.hostname }),
    ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function portsOf({ spec }: Service, pod: Pod): { name: string; port: number; protocol: string }[] {
  return (spec?.ports ?? []).flatMap(({ name = '', protocol = 'TCP', ...port }) => {
    const number = targetOf({ name, protocol, ...port }, pod);
    return number === undefined ? [] : { name, port: number, protocol };
  });
}

function targetOf({ targetPort, port }: Port, { spec }: Pod): number | undefined {
  if (typeof targetPort !== 'string')
    return targetPort === undefined || targetPort === 0 ? port : targetPort;
  return spec?.containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === targetPort)
    ?.containerPort;
}
