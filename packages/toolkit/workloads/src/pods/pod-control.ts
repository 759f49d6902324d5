import {
  builtin,
  ownerReferenceTo,
  StatusError,
  type Cached,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/manager';
import type { RecordEvent } from '../control/event-log.ts';
import type { Pod, PodTemplate } from '../objects/kinds.ts';

type NewPod = Parameters<typeof podOf>[2];

/** Creates and deletes the Pods of workloads, and records that as Events of the workload. */
export class PodControl {
  readonly #record: RecordEvent;

  constructor(record: RecordEvent) {
    this.#record = record;
  }

  /** Creates a Pod of a template. */
  async create(
    client: Client,
    owner: Cached,
    template: PodTemplate,
    own: NewPod = {},
  ): Promise<Pod> {
    try {
      const pod = await client.create(builtin.Pod, podOf(owner, template, own));
      this.#record(owner, {
        reason: 'SuccessfulCreate',
        message: `Created pod: ${pod.metadata.name}`,
      });
      return pod;
    } catch (error) {
      const message = `Error creating: ${messageOf(error)}`;
      this.#record(owner, { type: 'Warning', reason: 'FailedCreate', message });
      throw error;
    }
  }

  /** Deletes a Pod. */
  async delete(client: Client, owner: Cached, { metadata }: Pod): Promise<void> {
    await client.delete(builtin.Pod, metadata);
    this.#record(owner, { reason: 'SuccessfulDelete', message: `Deleted pod: ${metadata.name}` });
  }
}

/** The message of the API server, or that of another error. */
export function messageOf(error: unknown): string {
  if (error instanceof StatusError) return error.status?.message ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** A Pod of a template, with the changes of a workload. */
export function podOf(
  owner: Cached,
  { metadata = {}, spec }: PodTemplate,
  own: {
    readonly name?: string;
    readonly generateName?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly spec?: Partial<NonNullable<Pod['spec']>>;
  } = {},
): Omit<Pod, 'metadata'> & { metadata: NonNullable<KubernetesObject['metadata']> } {
  const { name, generateName = `${owner.metadata.name.slice(0, 57)}-` } = own;
  const annotations = { ...metadata.annotations, ...own.annotations };
  return {
    metadata: {
      namespace: owner.metadata.namespace ?? 'default',
      generateName,
      ...(name !== undefined && { name }),
      labels: { ...metadata.labels, ...own.labels },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      finalizers: [...(metadata.finalizers ?? []), ...(own.finalizers ?? [])],
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    ...(spec !== undefined && { spec: { ...spec, ...own.spec } }),
  };
}
