import { customKind } from './custom-kind.ts';
import { FIRST_EVENT_VERSION, LIST_VERSION } from './pod-stream.ts';

/** Objects come in the order of their namespaces, as a server sends them. */
const OBJECTS_PER_NAMESPACE = 1000;
const CREATED = '2026-01-02T03:04:05Z';
/** Differs between objects: n is the number of the object, s that of its namespace, v its version, r random digits. */
const PLACEHOLDER = /<(n|s|v|r\d+)>/;
/** All four hexadecimal digits: a call of `toString` for each object takes longer than the rest of its rendering. */
const HEX = Array.from({ length: 0x1_0000 }, (_, n) => n.toString(16).padStart(4, '0'));

const { group, version, kind } = customKind(0);

/** A custom resource of 2.2 KB of JSON, 0.6 KB of it `managedFields`: a rollout with its conditions. */
const template: readonly string[] = JSON.stringify({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: {
    name: 'rollout-<n>',
    namespace: 'tenant-<s>',
    uid: '<r8>-<r4>-4<r3>-a<r3>-<r12>',
    resourceVersion: '<v>',
    generation: 3,
    creationTimestamp: CREATED,
    labels: { 'app.kubernetes.io/name': 'rollout-<n>', 'app.kubernetes.io/part-of': 'shop-<r1>' },
    finalizers: ['bench.example.com/rollout'],
    managedFields: [
      managedFields('kubectl', undefined, {
        'f:metadata': { 'f:labels': { 'f:app.kubernetes.io/name': {} } },
        'f:spec': { 'f:image': {}, 'f:replicas': {}, 'f:strategy': { 'f:steps': {} } },
      }),
      managedFields('rollouts', 'status', {
        'f:status': {
          'f:conditions': { 'k:{"type":"Ready"}': { '.': {}, 'f:status': {}, 'f:reason': {} } },
          'f:observedGeneration': {},
          'f:readyReplicas': {},
        },
      }),
    ],
  },
  spec: {
    replicas: 3,
    image: 'registry.example.com/shop/rollout@sha256:<r64>',
    serviceName: 'rollout-<n>',
    configMapRef: { name: 'rollout-<n>-config', key: 'config.yaml' },
    strategy: { steps: [5, 25, 50, 100].map((percent) => ({ percent, pause: '60s' })) },
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
  },
  status: {
    observedGeneration: 3,
    readyReplicas: 3,
    currentRevision: 'rollout-<n>-<r10>',
    conditions: ['Ready', 'Progressing', 'Available'].map((type) => ({
      type,
      status: 'True',
      reason: `${type}AsSpecified`,
      message: `The rollout has the state that its specification requests: ${type}`,
      observedGeneration: 3,
      lastTransitionTime: CREATED,
    })),
  },
}).split(PLACEHOLDER);

function managedFields(
  manager: string,
  subresource: string | undefined,
  fieldsV1: object,
): Record<string, unknown> {
  const apiVersion = `${group}/${version}`;
  const written = { manager, operation: 'Update', apiVersion, time: CREATED };
  const rest = subresource === undefined ? {} : { subresource };
  return { ...written, fieldsType: 'FieldsV1', fieldsV1, ...rest };
}

/** Renders the object with this number in about four microseconds, so that the server is faster than its client. */
export function renderThing(index: number, resourceVersion: number): string {
  const random = new Digits(index);
  let text = '';
  for (const [at, part] of template.entries()) {
    if (at % 2 === 0) text += part;
    else if (part === 'n') text += String(index);
    else if (part === 'v') text += String(resourceVersion);
    else if (part === 's') text += String(Math.floor(index / OBJECTS_PER_NAMESPACE));
    else text += random.take(Number(part.slice(1)));
  }
  return text;
}

/** Digits that depend on a number, and no two numbers have the same. */
class Digits {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 2_654_435_761) + 0x9e37) >>> 0;
  }

  take(length: number): string {
    let digits = '';
    while (digits.length < length) {
      this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
      digits += `${HEX[this.#state >>> 16]}${HEX[this.#state & 0xffff]}`;
    }
    return digits.slice(0, length);
  }
}

/** All objects as a WatchList sends them, and the bookmark that ends the initial state. */
export function* initialThings(count: number): Iterable<string> {
  for (let index = 0; index < count; index++) yield eventOf('ADDED', index, 1 + index);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const metadata = { resourceVersion: String(LIST_VERSION), annotations };
  const object = { kind, apiVersion: `${group}/${version}`, metadata };
  yield `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
}

/** Changes of objects in an order without neighbours, so that a change does not find its object in a cache line of the last. */
export function* changedThings(events: number, count: number): Iterable<string> {
  for (let at = 0; at < events; at++) {
    yield eventOf('MODIFIED', (at * 7919) % count, FIRST_EVENT_VERSION + at);
  }
}

function eventOf(type: string, index: number, resourceVersion: number): string {
  return `{"type":"${type}","object":${renderThing(index, resourceVersion)}}\n`;
}
