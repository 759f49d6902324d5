import { setDefaultTarget } from './autoscaler-conversion.ts';
import { ensureObject, objectAt, objectsAt } from '../../json/json-members.ts';
import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { constants, type DefaultRules, fill, fillMissing } from '../../schema/default-rule.ts';

/** The defaults of the kinds that run pods. */
export const workloadDefaults: DefaultRules = {
  'apps.v1.DeploymentSpec': (spec) => {
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    completeStrategy(ensureObject(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  'apps.v1.DaemonSet': (daemonSet) => {
    const annotations = ensureObject(ensureObject(daemonSet, 'metadata'), 'annotations');
    // The zero value of the internal field that the annotation shows. A create and an update replace it.
    fill(annotations, { 'deprecated.daemonset.template.generation': '0' });
  },
  'apps.v1.DaemonSetSpec': (spec) => {
    fill(spec, { revisionHistoryLimit: 10 });
    completeStrategy(ensureObject(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
  },
  'apps.v1.ReplicaSetSpec': constants({ replicas: 1 }),
  'apps.v1.StatefulSetSpec': completeStatefulSet,
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': constants({
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
  }),
  'core.v1.ReplicationController': (controller) => {
    const spec = objectAt(controller, 'spec');
    const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
    if (labels !== undefined) fill(spec, { selector: labels });
    copyTemplateLabels(controller);
  },
  'batch.v1.Job': (job) => {
    copyTemplateLabels(job);
    completeJob(objectAt(job, 'spec'));
  },
  'batch.v1.CronJobSpec': constants({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  }),
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': constants({ status: 'True' }),
  'autoscaling.v1.HorizontalPodAutoscaler': setDefaultTarget,
  'autoscaling.v1.HorizontalPodAutoscalerSpec': constants({ minReplicas: 1 }),
  'autoscaling.v2.HorizontalPodAutoscalerSpec': completeAutoscaler,
};

const scaleUpRules: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDownRules: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function completeStrategy(strategy: JsonObject, rollingUpdate: JsonObject): void {
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate')
    fillMissing(ensureObject(strategy, 'rollingUpdate'), rollingUpdate);
}

function completeStatefulSet(spec: JsonObject): void {
  fill(spec, {
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
  });
  const strategy = ensureObject(spec, 'updateStrategy');
  if (strategy.type === undefined) fill(strategy, { type: 'RollingUpdate', rollingUpdate: {} });
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'RollingUpdate' && rolling !== undefined) {
    fill(objectAt(strategy, 'rollingUpdate'), { partition: 0 });
  }
  // kube-apiserver writes a claim template with its own `apiVersion` and `kind`.
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
    fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    fill(ensureObject(claim, 'status'), { phase: 'Pending' });
  }
}

function completeJob(spec: JsonObject): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  const perIndex = spec.backoffLimitPerIndex !== undefined;
  fillMissing(spec, {
    parallelism: 1,
    backoffLimit: perIndex ? 2 ** 31 - 1 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
}

function copyTemplateLabels(workload: JsonObject): void {
  const template = objectAt(objectAt(workload, 'spec'), 'template');
  const labels: JsonValue | undefined = objectAt(template, 'metadata').labels;
  // The same object, as in Go: a label that is added to the template of a new Job is added to the Job too.
  const metadata = ensureObject(workload, 'metadata');
  const isEmpty = Object.keys(objectAt(metadata, 'labels')).length === 0;
  if (labels !== undefined && isEmpty) metadata.labels = labels;
}

function completeAutoscaler(spec: JsonObject): void {
  fill(spec, {
    minReplicas: 1,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
    ],
  });
  if (spec.behavior === undefined) return;
  const behavior = objectAt(spec, 'behavior');
  fillMissing(ensureObject(behavior, 'scaleUp'), scaleUpRules);
  fillMissing(ensureObject(behavior, 'scaleDown'), scaleDownRules);
}
