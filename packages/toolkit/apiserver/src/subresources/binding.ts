import type { StatusCause } from '@keelson/apimachinery';
import { required } from '@keelson/structural-schema';
import { sendValue } from '../presentation/object-response.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import { timestamp } from '../schema/clock.ts';
import { badRequest, conflict, failure } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import { admitBody } from '../verbs/writes/admit-body.ts';
import { checkIdentity } from '../verbs/writes/object-meta.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { postedBody } from '../verbs/writes/posted-body.ts';
import { notSupported } from '../verbs/writes/write-options.ts';
import { success } from './eviction.ts';

export interface BindingContext {
  readonly writer: ObjectWriter;
  readonly registry: ResourceRegistry;
  readonly admission: AdmissionChain;
  readonly now: () => number;
}

interface Binding extends ApiObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

interface Pod extends ApiObject {
  readonly spec?: { readonly nodeName?: string; readonly schedulingGates?: readonly object[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };
const podResource = { group: '', version: 'v1', plural: 'pods' };

/**
 * Creates the handler of `pods/binding` and of `bindings`, by which a scheduler assigns a pod to a node. A binding is not
 * stored. The URL of `bindings` does not name the pod.
 */
export function bindingHandler(context: BindingContext): SubresourceHandler {
  const { writer, registry, admission, now } = context;
  return async (request, resource) => {
    const { name: inUrl, namespace, subresource } = request.info;
    const sent = await postedBody(request, resource, bindingKind);
    const binding = (await admitBody(admission, request, resource, sent)) as Binding;
    const { name = '' } = binding.metadata;
    if (subresource !== '' && name !== inUrl) {
      throw badRequest('name in URL does not match name in Binding object');
    }
    checkTarget(binding);
    if (name === '') throw badRequest('Name parameter required.');
    const pods = subresource === '' ? registry.find(podResource) : resource;
    if (pods === undefined) throw new Error('pods are not served');
    const { dryRun } = sent.options;
    writer.update(pods, {
      key: pods.key({ namespace, name }),
      scope: 'binding',
      options: { dryRun, fieldManager: undefined },
      next: (pod) => {
        checkIdentity(pods, pod, binding.metadata, { dryRun });
        checkAssignable(pod);
        return assigned(pods, pod, binding, timestamp(now()));
      },
    });
    await sendValue(request, 201, success);
  };
}

/** Throws 500 for an invalid target, as kube-apiserver does. */
function checkTarget({ target: { kind = '', name = '' } = {} }: Binding): void {
  const causes: StatusCause[] = [];
  if (kind !== '' && kind !== 'Node') {
    causes.push(notSupported('target.kind', JSON.stringify(kind), ['Node', '<empty>']));
  }
  if (name === '') causes.push(required('target.name'));
  if (causes.length === 0) return;
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  throw failure(500, '', texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`);
}

/** Throws 409 for a pod that is being deleted, that has a node, or that is not to be scheduled yet. */
function checkAssignable({ metadata, spec = {} }: Pod): void {
  const { name = '', deletionTimestamp } = metadata;
  const refuse = (why: string): Error =>
    conflict({ group: '', plural: 'pods/binding', kind: 'Binding', name }, `pod ${name} ${why}`);
  if (deletionTimestamp !== undefined) {
    throw refuse('is being deleted, cannot be assigned to a host');
  }
  const { nodeName = '', schedulingGates = [] } = spec;
  if (nodeName !== '') throw refuse(`is already assigned to node ${JSON.stringify(nodeName)}`);
  if (schedulingGates.length > 0) throw refuse('has non-empty .spec.schedulingGates');
}

function assigned(
  { release }: ServedResource,
  pod: Pod,
  { metadata, target }: Binding,
  lastTransitionTime: string,
): ApiObject {
  const { spec = {}, status = {} } = pod;
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
  };
  // The gate PodTopologyLabelsAdmission, by which labels are copied, is on since 1.35.
  const copied: readonly TextMap[] =
    release === '1.34' ? ['annotations'] : ['annotations', 'labels'];
  return {
    ...pod,
    metadata: { ...pod.metadata, ...mergedTexts(pod, metadata, copied) },
    spec: { ...spec, nodeName: target?.name },
    status: { ...status, conditions: [...others, scheduled] },
  };
}

/** Returns the given maps of a pod with the entries that a binding adds or replaces. */
function mergedTexts(
  pod: Pod,
  binding: ApiObject['metadata'],
  members: readonly TextMap[],
): Partial<Record<TextMap, Record<string, string>>> {
  const added = members.filter((member) => Object.keys(binding[member] ?? {}).length > 0);
  return Object.fromEntries(
    added.map((member) => [member, { ...pod.metadata[member], ...binding[member] }]),
  );
}

type TextMap = 'annotations' | 'labels';
