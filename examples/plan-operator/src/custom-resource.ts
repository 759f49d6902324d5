import { defineResource, type Condition, type KubernetesObject } from '@keelson/manager';
import type { StepStatus } from './step-status.ts';

/** A service that plans deploy, upgrade and scale. */
export interface Instance extends KubernetesObject {
  spec: InstanceSpec;
  status?: {
    observedGeneration?: number;
    /** The plan that runs or has failed; `null` while no plan runs. */
    activePlan?: ActivePlan | null;
    conditions?: Condition[];
  };
}

export interface InstanceSpec {
  version: string;
  replicas: number;
}

/** The progress of a plan, and the spec that it applies: the object may have a later one meanwhile. */
export interface ActivePlan {
  plan: string;
  generation: number;
  spec: InstanceSpec;
  status: StepStatus;
  phases: PhaseProgress[];
}

export interface PhaseProgress {
  name: string;
  status: StepStatus;
  steps: StepProgress[];
}

export interface StepProgress {
  name: string;
  status: StepStatus;
  /** The error of the last attempt. */
  message?: string;
}

export const Instance = defineResource<Instance>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'Instance',
  plural: 'instances',
});
