import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { isWhole } from '../shared/whole-units.ts';
import {
  childPath,
  type FieldPath,
  indexPath,
  type JsonObject,
  keyPath,
} from '@keelson/structural-schema';

/** Deprecated node labels with their replacements. */
export const nodeLabels: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    'failure-domain.beta.kubernetes.io/region',
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    'failure-domain.beta.kubernetes.io/zone',
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    'beta.kubernetes.io/instance-type',
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  [
    'scheduler.alpha.kubernetes.io/preferAvoidPods',
    'deprecated since v1.22; use Taints and Tolerations instead',
  ],
  ['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

const annotations: ReadonlyMap<string, string> = new Map([
  [
    'scheduler.alpha.kubernetes.io/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    'security.alpha.kubernetes.io/sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    'security.alpha.kubernetes.io/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
]);

const volumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

const noMatch = 'a null labelSelector results in matching no pod';

/** The warnings for a pod (at the path '') or a pod template. */
export function podWarnings(pod: JsonObject, path: FieldPath): string[] {
  const spec = objectAt(pod, 'spec');
  const place = childPath(path, 'spec');
  const marks = childPath(path, 'metadata.annotations');
  return [
    ...known(nodeLabels, objectAt(spec, 'nodeSelector'), childPath(place, 'nodeSelector')),
    ...spreadWarnings(spec, place),
    ...known(annotations, objectAt(objectAt(pod, 'metadata'), 'annotations'), marks),
    ...volumeWarnings(objectsAt(spec, 'volumes'), childPath(place, 'volumes')),
    ...objectsAt(spec, 'volumes').flatMap((volume) => fileWarnings(volume)),
    ...repeated(spec, place, { list: 'hostAliases', key: 'ip' }),
    ...repeated(spec, place, { list: 'imagePullSecrets', key: 'name' }),
    ...emptySecrets(spec, place),
    ...fractions(objectAt(spec, 'overhead'), childPath(place, 'overhead')),
    ...seccompWarnings(pod, marks),
    ...containersOf(spec, place).flatMap(([container, at]) => containerWarnings(container, at)),
    ...portWarnings(spec, place),
    ...portNameWarnings(spec, place),
    ...(Number(spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${childPath(place, 'terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(objectAt(spec, 'affinity'), childPath(place, 'affinity')),
  ];
}

/** Warns about fractions of a byte: `1500m` of memory. */
export function fractions(
  list: JsonObject,
  path: FieldPath,
  names: readonly string[] = ['memory', 'ephemeral-storage'],
): string[] {
  return names.flatMap((name) => {
    const text = textAt(list, name);
    if (isWhole(text)) return [];
    const detail = `fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`;
    return [`${keyPath(path, name)}: ${detail}`];
  });
}

function known(texts: ReadonlyMap<string, string>, found: JsonObject, path: FieldPath): string[] {
  return [...texts]
    .filter(([key]) => found[key] !== undefined)
    .map(([key, text]) => `${keyPath(path, key)}: ${text}`);
}

function spreadWarnings(spec: JsonObject, path: FieldPath): string[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const place = indexPath(childPath(path, 'topologySpreadConstraints'), index);
    const key = textAt(constraint, 'topologyKey');
    const text = nodeLabels.get(key);
    return [
      ...(text === undefined ? [] : [`${childPath(place, 'topologyKey')}: ${key} is ${text}`]),
      ...(constraint.labelSelector === undefined
        ? [`${childPath(place, 'labelSelector')}: ${noMatch}`]
        : []),
    ];
  });
}

function volumeWarnings(list: readonly JsonObject[], path: FieldPath): string[] {
  return list.flatMap((volume, index) =>
    Object.keys(volumes)
      .filter((source) => volume[source] !== undefined)
      .map((source) => `${childPath(indexPath(path, index), shown(source))}: ${volumes[source]}`),
  );
}

/** Annotations of profiles, which have no effect. A profile in a field replaces them. */
function seccompWarnings(pod: JsonObject, path: FieldPath): string[] {
  const spec = objectAt(pod, 'spec');
  const found = objectAt(objectAt(pod, 'metadata'), 'annotations');
  const holders: (readonly [key: string, holder: JsonObject])[] = [
    ['seccomp.security.alpha.kubernetes.io/pod', spec],
    ...containersOf(spec, '').map(
      ([container]) =>
        [
          `container.seccomp.security.alpha.kubernetes.io/${textAt(container, 'name')}`,
          container,
        ] as const,
    ),
  ];
  const text = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  return holders
    .filter(([, holder]) => objectAt(holder, 'securityContext').seccompProfile === undefined)
    .filter(([key]) => found[key] !== undefined)
    .map(([key]) => `${keyPath(path, key)}: ${text}`);
}

/** A file of a volume, with the source that it comes from. */
interface VolumeFile {
  readonly path: string;
  /** Empty if the volume has one source only. */
  readonly source: string;
}

/** Warns about files of one volume of which one replaces another or needs a folder in its place. */
function fileWarnings(volume: JsonObject): string[] {
  const start = `volume ${JSON.stringify(textAt(volume, 'name'))}`;
  const [map, secret] = [objectAt(volume, 'configMap'), objectAt(volume, 'secret')];
  const lists: (readonly [title: string, files: VolumeFile[]])[] = [
    [`ConfigMap ${JSON.stringify(textAt(map, 'name'))}`, filesOf(map)],
    [`Secret ${JSON.stringify(textAt(secret, 'secretName'))}`, filesOf(secret)],
    ['DownwardAPI', filesOf(objectAt(volume, 'downwardAPI'))],
    ['Projected', objectsAt(objectAt(volume, 'projected'), 'sources').flatMap(projectedFiles)],
  ];
  const empty = objectsAt(objectAt(volume, 'projected'), 'sources').filter(
    (source) => Object.keys(source).length === 0,
  );
  return [
    ...lists.flatMap(([title, files]) =>
      overlapsOf(files).map((text) => `${start} (${title}): overlapping paths: ${text}`),
    ),
    ...empty.map(() => `${start} (Projected) has no sources provided`),
  ];
}

function filesOf(holder: JsonObject, source = ''): VolumeFile[] {
  return objectsAt(holder, 'items').map((item) => ({ path: textAt(item, 'path'), source }));
}

function projectedFiles(projection: JsonObject): VolumeFile[] {
  const named = (kind: string, member: string): VolumeFile[] => {
    const holder = objectAt(projection, member);
    return filesOf(holder, `${kind} ${JSON.stringify(textAt(holder, 'name'))}`);
  };
  const token = objectAt(projection, 'serviceAccountToken');
  return [
    ...named('ConfigMap', 'configMap'),
    ...named('Secret', 'secret'),
    ...filesOf(objectAt(projection, 'downwardAPI'), 'DownwardAPI'),
    ...(projection.serviceAccountToken === undefined
      ? []
      : [{ path: textAt(token, 'path'), source: 'ServiceAccountToken' }]),
  ];
}

function overlapsOf(files: readonly VolumeFile[]): string[] {
  const all = files.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }));
  return all.flatMap((file, index) =>
    all
      .slice(0, index)
      .filter((other) => file.path !== '' && other.path !== '' && isWithin(file, other))
      .map((other) => `${shownFile(file)} with ${shownFile(other)}`),
  );
}

function isWithin(one: VolumeFile, other: VolumeFile): boolean {
  const [path, otherPath] = [`${one.path}/`, `${other.path}/`];
  return path.startsWith(otherPath) || otherPath.startsWith(path);
}

function shownFile({ path, source }: VolumeFile): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}

/** kube-apiserver spells this name otherwise. */
function shown(source: string): string {
  return source === 'storageos' ? 'storageOS' : source;
}

function repeated(
  spec: JsonObject,
  path: FieldPath,
  { list, key }: { list: string; key: string },
): string[] {
  const values = objectsAt(spec, list).map((item) => textAt(item, key));
  return values.flatMap((value, index) => {
    if (values.indexOf(value) === index) return [];
    const place = childPath(indexPath(childPath(path, list), index), key);
    return [`${place}: duplicate ${key} ${JSON.stringify(value)}`];
  });
}

function emptySecrets(spec: JsonObject, path: FieldPath): string[] {
  return objectsAt(spec, 'imagePullSecrets').flatMap((secret, index) => {
    if (textAt(secret, 'name') !== '') return [];
    const place = childPath(indexPath(childPath(path, 'imagePullSecrets'), index), 'name');
    return [`${place}: invalid empty name ""`];
  });
}

/** The containers of all types with their paths, in starting order. */
function containersOf(spec: JsonObject, path: FieldPath): (readonly [JsonObject, FieldPath])[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((sort) =>
    objectsAt(spec, sort).map(
      (container, index) => [container, indexPath(childPath(path, sort), index)] as const,
    ),
  );
}

function containerWarnings(container: JsonObject, path: FieldPath): string[] {
  const resources = objectAt(container, 'resources');
  const [limits, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  const both = ['memory', 'ephemeral-storage'].flatMap((name) => [
    ...fractions(limits, childPath(path, 'resources.limits'), [name]),
    ...fractions(requests, childPath(path, 'resources.requests'), [name]),
  ]);
  return [...both, ...variableWarnings(objectsAt(container, 'env'), childPath(path, 'env'))];
}

/** Warns about repeated variables, unless the second refers to the first. */
function variableWarnings(variables: readonly JsonObject[], path: FieldPath): string[] {
  const names = variables.map((variable) => textAt(variable, 'name'));
  return variables.flatMap((variable, index) => {
    const name = names[index] ?? '';
    if (names.indexOf(name) === index) return [];
    const reference = `$(${name})`;
    const value = textAt(variable, 'value');
    const extendsIt = value.includes(reference) && value !== reference;
    if (extendsIt && variable.valueFrom === undefined) return [];
    const detail = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${indexPath(path, index)}: ${detail}`];
  });
}

interface PlacedPort {
  readonly place: FieldPath;
  readonly port: JsonObject;
}

function portsOf(spec: JsonObject, path: FieldPath): PlacedPort[] {
  return containersOf(spec, path).flatMap(([container, at]) =>
    objectsAt(container, 'ports').map((port, index) => ({
      place: indexPath(childPath(at, 'ports'), index),
      port,
    })),
  );
}

function portWarnings(spec: JsonObject, path: FieldPath): string[] {
  const ports = portsOf(spec, path);
  return ports.flatMap(({ place, port }, index) =>
    ports
      .slice(0, index)
      .filter((other) => isSamePort(port, other.port))
      .flatMap((other) => {
        const overlap = overlapOf(port, other.port);
        return overlap === undefined
          ? []
          : [`${place}: ${overlap} port definition with ${other.place}`];
      }),
  );
}

function isSamePort(one: JsonObject, other: JsonObject): boolean {
  return one.containerPort === other.containerPort && one.protocol === other.protocol;
}

function overlapOf(one: JsonObject, other: JsonObject): string | undefined {
  const [port, otherPort] = [Number(one.hostPort ?? 0), Number(other.hostPort ?? 0)];
  const [address, otherAddress] = [textAt(one, 'hostIP'), textAt(other, 'hostIP')];
  if (address === otherAddress && port === otherPort) return 'duplicate';
  if (port === 0 || otherPort === 0) return 'overlapping';
  const isAnyAddress = (address === '') !== (otherAddress === '');
  return port === otherPort && isAnyAddress ? 'dangerously ambiguous' : undefined;
}

function portNameWarnings(spec: JsonObject, path: FieldPath): string[] {
  const places = new Map<string, FieldPath>();
  return portsOf(spec, path).flatMap(({ place, port }) => {
    const name = textAt(port, 'name');
    const other = places.get(name);
    if (name === '') return [];
    if (other === undefined) {
      places.set(name, place);
      return [];
    }
    return [
      `${place}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}

function affinityWarnings(affinity: JsonObject, path: FieldPath): string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((sort) => {
    const terms = objectAt(affinity, sort);
    const required = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    const place = childPath(path, sort);
    return [
      ...objectsAt(terms, required).flatMap((term, index) =>
        withoutSelector(term, indexPath(childPath(place, required), index)),
      ),
      ...objectsAt(terms, preferred).flatMap((term, index) =>
        withoutSelector(
          objectAt(term, 'podAffinityTerm'),
          childPath(indexPath(childPath(place, preferred), index), 'podAffinityTerm'),
        ),
      ),
    ];
  });
}

function withoutSelector(term: JsonObject, path: FieldPath): string[] {
  return term.labelSelector === undefined
    ? [`${childPath(path, 'labelSelector')}: ${noMatch}`]
    : [];
}
