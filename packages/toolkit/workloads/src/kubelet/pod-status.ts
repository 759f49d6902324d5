import type { Pod } from '../objects/kinds.ts';
import { timestamp } from '../objects/times.ts';
import { podCondition } from '../pods/pod-state.ts';
import { terminated, type ContainerRun, type ContainerStatus } from './container-run.ts';
import type { BehaviourSettings } from './pod-behaviour.ts';
import type { PodRun } from './pod-run.ts';

export type PodStatus = NonNullable<Pod['status']>;
type Condition = NonNullable<PodStatus['conditions']>[number];

/** The state of a Pod that a status shows. */
export interface PodFacts {
  readonly run: PodRun;
  readonly behaviour: BehaviourSettings;
  readonly now: number;
}

/** The status of a Pod as kubelet writes it. */
export function podStatus(pod: Pod, { run, behaviour, now }: PodFacts): PodStatus {
  const statuses = run.containers.map((container) =>
    containerStatus(pod, container, { run, behaviour, now }),
  );
  const phase = phaseOf(run);
  const hasStarted = phase !== 'Pending';
  const host = '192.168.0.1';
  return {
    phase,
    conditions: conditionsOf(pod, { statuses, phase, now }),
    hostIP: host,
    hostIPs: [{ ip: host }],
    ...(hasStarted && { podIP: run.ip, podIPs: [{ ip: run.ip }] }),
    startTime: pod.status?.startTime ?? timestamp(now),
    qosClass: pod.status?.qosClass ?? 'BestEffort',
    ...initStatuses(pod, { hasStarted, now }),
    containerStatuses: statuses,
    ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
  };
}

/** The status of a Pod that kubelet evicts. */
export function evictedStatus(pod: Pod, message: string, facts: PodFacts): PodStatus {
  const status = podStatus(pod, facts);
  const conditions = conditionsOf(pod, {
    statuses: status.containerStatuses ?? [],
    phase: 'Failed',
    now: facts.now,
  });
  return { ...status, phase: 'Failed', reason: 'Evicted', message, conditions };
}

function phaseOf(run: PodRun): 'Pending' | 'Running' | 'Succeeded' | 'Failed' {
  if (run.hasEnded)
    return run.containers.every(({ last }) => last?.exitCode === 0) ? 'Succeeded' : 'Failed';
  const isWaiting = run.containers.some(
    ({ startedAt, last }) => startedAt === undefined && last === undefined,
  );
  return isWaiting ? 'Pending' : 'Running';
}

function containerStatus(
  pod: Pod,
  container: ContainerRun,
  { run, behaviour, now }: PodFacts,
): ContainerStatus {
  const { image = '' } = pod.spec?.containers.find(({ name }) => name === container.name) ?? {};
  const { startedAt, last, nextStart, restarts, name } = container;
  const isWaiting = startedAt === undefined && (last === undefined || nextStart !== undefined);
  const hasLastState = last !== undefined && (startedAt !== undefined || isWaiting);
  return {
    name,
    image,
    imageID: last === undefined && startedAt === undefined ? '' : `simulated://${image}`,
    ready: run.isReady(container, behaviour, now),
    started: startedAt !== undefined,
    restartCount: restarts,
    state: {
      ...(startedAt !== undefined && { running: { startedAt: timestamp(startedAt) } }),
      ...(isWaiting && { waiting: waitingState(pod, container, { run, behaviour }) }),
      ...(!isWaiting &&
        startedAt === undefined &&
        last !== undefined && { terminated: terminated(last) }),
    },
    lastState: hasLastState ? { terminated: terminated(last) } : {},
  };
}

function waitingState(
  pod: Pod,
  { last, delay, name }: ContainerRun,
  { run, behaviour }: Pick<PodFacts, 'run' | 'behaviour'>,
): { reason: string; message?: string } {
  if (last !== undefined)
    return { reason: 'CrashLoopBackOff', message: backOffText(pod, name, delay) };
  if (!behaviour.imagePullError) return { reason: 'ContainerCreating' };
  const { image = '' } = pod.spec?.containers.find((container) => container.name === name) ?? {};
  return run.pulls <= 1
    ? { reason: 'ErrImagePull', message: pullError(image) }
    : {
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${image}": ErrImagePull: ${pullError(image)}`,
      };
}

/** The text about a container that waits for its restart. */
export function backOffText({ metadata }: Pod, container: string, delay: number): string {
  const { name, namespace, uid } = metadata;
  return `back-off ${durationText(delay)} restarting failed container=${container} pod=${name}_${namespace}(${uid})`;
}

/** A duration as Go prints it: `10s`, `1m20s`. */
function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

/** The error of an image that cannot be pulled. */
export function pullError(image: string): string {
  return `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
}

/** Init containers have ended when the others start. */
function initStatuses(
  { spec }: Pod,
  { hasStarted, now }: { readonly hasStarted: boolean; readonly now: number },
): Pick<PodStatus, 'initContainerStatuses'> {
  if (spec?.initContainers === undefined) return {};
  const initContainerStatuses = spec.initContainers.map(({ name, image = '', restartPolicy }) => {
    const isSidecar = restartPolicy === 'Always';
    const time = timestamp(now);
    const running = { running: { startedAt: time } };
    const ended = { terminated: terminated({ startedAt: now, finishedAt: now, exitCode: 0 }) };
    return {
      name,
      image,
      imageID: hasStarted ? `simulated://${image}` : '',
      ready: hasStarted,
      started: isSidecar && hasStarted,
      restartCount: 0,
      state: hasStarted
        ? isSidecar
          ? running
          : ended
        : { waiting: { reason: 'PodInitializing' } },
      lastState: {},
    };
  });
  return { initContainerStatuses };
}

function conditionsOf(
  pod: Pod,
  {
    statuses,
    phase,
    now,
  }: {
    readonly statuses: readonly ContainerStatus[];
    readonly phase: string;
    readonly now: number;
  },
): Condition[] {
  const hasStarted = phase !== 'Pending';
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const isContainersReady = hasStarted && unready.length === 0 && phase === 'Running';
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const closed = gates.filter((type) => podCondition(pod, type)?.status !== 'True');
  const unreadiness = reasonOf(phase, unready);
  const gateReason = {
    reason: 'ReadinessGatesNotReady',
    message: `the status of pod readiness gate(s) [${closed.join(' ')}] is not "True", but False`,
  };
  const condition = (type: string, isTrue: boolean, reason: object = {}): Condition => {
    const status = isTrue ? 'True' : 'False';
    const known = podCondition(pod, type);
    const lastTransitionTime =
      known?.status === status && known.lastTransitionTime !== undefined
        ? known.lastTransitionTime
        : timestamp(now);
    return { type, status, lastTransitionTime, ...(!isTrue && reason) };
  };
  return [
    condition('PodReadyToStartContainers', hasStarted && phase === 'Running'),
    condition('Initialized', hasStarted || pod.spec?.initContainers === undefined),
    condition(
      'Ready',
      isContainersReady && closed.length === 0,
      isContainersReady ? gateReason : unreadiness,
    ),
    condition('ContainersReady', isContainersReady, unreadiness),
    condition('PodScheduled', true),
  ];
}

function reasonOf(phase: string, unready: readonly string[]): { reason: string; message?: string } {
  if (phase === 'Succeeded') return { reason: 'PodCompleted' };
  if (phase === 'Failed') return { reason: 'PodFailed' };
  return {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}
