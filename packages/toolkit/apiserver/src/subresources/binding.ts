import { sendValue } from '../presentation/object-response.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import { timestamp } from '../schema/clock.ts';
import { badRequest, conflict } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { decodeObject } from '../verbs/writes/object-body.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import { admitBody } from '../verbs/writes/admit-body.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { writeOptions } from '../verbs/writes/write-options.ts';
import { success } from './eviction.ts';

export interface BindingContext {
  readonly writer: ObjectWriter;
  readonly admission: AdmissionChain;
  readonly now: () => number;
}

const bindingKind = { group: '', version: 'v1', kind: 'Binding' };

/** Creates the handler of `pods/binding`, by which a scheduler assigns a pod to a node. */
export function bindingHandler({ writer, admission, now }: BindingContext): SubresourceHandler {
  return async (request, resource) => {
    const options = writeOptions(request, 'CreateOptions');
    const contentType = request.headers['content-type'];
    const { value } = await decodeObject(await request.body(), contentType, 'Binding');
    const body = { kind: bindingKind, value };
    const { target } = (await admitBody(admission, request, resource, body)) as {
      target?: { name?: string };
    };
    const node = target?.name ?? '';
    if (node === '') throw badRequest('target.name: Required value');
    writer.update(resource, {
      key: resource.key(request.info),
      scope: 'binding',
      options: { dryRun: options.dryRun, fieldManager: undefined },
      next: (pod) => assigned(pod, node, timestamp(now())),
    });
    await sendValue(request, 201, success);
  };
}

function assigned(pod: ApiObject, node: string, lastTransitionTime: string): ApiObject {
  const { spec = {}, status = {} } = pod as {
    spec?: { nodeName?: string };
    status?: { conditions?: { type: string }[] };
  };
  const { name = '' } = pod.metadata;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    const subject = { group: '', plural: 'pods/binding', kind: 'Binding', name };
    const why = `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
    throw conflict(subject, why);
  }
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
  };
  return {
    ...pod,
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
}
