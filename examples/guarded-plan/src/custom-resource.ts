import { definitionOf, type Definition } from '@keelson/example-support';
import { defineResource, type KubernetesObject } from '@keelson/manager';

/** A service that a plan brings to a version, one batch of its replicas after the other. */
export interface GuardedService extends KubernetesObject {
  spec: GuardedServiceSpec;
  status?: {
    observedGeneration?: number;
    phase?: 'Running' | 'Complete';
    /** The version of the batches that are done. */
    version?: string;
    /** The number of batches that are done. */
    done?: number;
  };
}

export interface GuardedServiceSpec {
  version: string;
  batches: number;
}

export const GuardedService = defineResource<GuardedService>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'GuardedService',
  plural: 'guardedservices',
});

export const serviceDefinition: Definition = definitionOf(GuardedService, {
  spec: {
    type: 'object',
    required: ['version', 'batches'],
    properties: {
      version: { type: 'string' },
      batches: { type: 'integer', minimum: 1 },
    },
  },
  status: {
    type: 'object',
    properties: {
      observedGeneration: { type: 'integer', format: 'int64' },
      phase: { type: 'string', enum: ['Running', 'Complete'] },
      version: { type: 'string' },
      done: { type: 'integer' },
    },
  },
  columns: { Version: '.status.version', Phase: '.status.phase', Done: '.status.done' },
});
