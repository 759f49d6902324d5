import type { Job, Pod, PodTemplate } from '../objects/kinds.ts';
import { COMPLETION_INDEX } from './job-state.ts';

type PodSpec = NonNullable<Pod['spec']>;
type Container = PodSpec['containers'][number];

const VARIABLE = 'JOB_COMPLETION_INDEX';
/** The length of `generateName` that the server keeps (`MaxGeneratedNameLength` of k8s.io/apiserver). */
const MAX_PREFIX_LENGTH = 58;

/** The changes of a Pod of an indexed Job: its number in the name, a label, an annotation and the environment. */
export function indexedPod(
  { metadata }: Job,
  { spec }: PodTemplate,
  index: number,
): {
  generateName: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  spec: Partial<PodSpec>;
} {
  const name = `${metadata.name}-${index}`;
  const suffix = `-${index}-`;
  const { containers = [], initContainers } = spec ?? {};
  return {
    generateName: `${metadata.name.slice(0, MAX_PREFIX_LENGTH - suffix.length)}${suffix}`,
    labels: { [COMPLETION_INDEX]: String(index) },
    annotations: { [COMPLETION_INDEX]: String(index) },
    spec: {
      hostname: name,
      containers: containers.map(withIndex),
      ...(initContainers !== undefined && { initContainers: initContainers.map(withIndex) }),
    },
  };
}

function withIndex(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === VARIABLE)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
  return { ...container, env: [...env, { name: VARIABLE, valueFrom: { fieldRef } }] };
}
