import { setImmediate } from 'node:timers/promises';
import type { KubernetesObject } from '@keelson/apimachinery';
import { webhookObjects } from '../../manifests/objects/webhook.ts';
import { partsOf } from '../../manifests/objects/operator-parts.ts';
import { readDefinitions } from '../../manifests/operator/operator-sources.ts';
import { operatorOf } from '../../manifests/operator/operator.ts';
import { plainObject } from '../../manifests/values/placed.ts';
import type { ModulesMessage } from '../../project/definitions/module-process.ts';
import { loadPolicies } from '../../project/policy-modules.ts';
import { readProject } from '../../project/project.ts';
import { loadWebhooks } from '../../project/webhook-modules.ts';
import { printedError } from '../../terminal/printed-error.ts';
import type { AdmissionObjects } from './admission-objects.ts';

const [, , folder = '.'] = process.argv;
// The command was killed, and an import may never end.
process.on('disconnect', () => process.exit());
process.channel?.unref();
try {
  const message: ModulesMessage = { modules: JSON.stringify(await read()) };
  // A rejection that a module did not handle ends the process in this turn.
  await setImmediate();
  // Exits, because a module may have started timers or servers.
  process.send?.(message, undefined, undefined, () => process.exit());
} catch (error) {
  process.stderr.write(`error: ${printedError(error)}\n`);
  process.exit(1);
}

async function read(): Promise<AdmissionObjects> {
  const project = await readProject(folder);
  const { modules = [], path } = project.webhook ?? {};
  const webhooks = await loadWebhooks(project.folder, modules);
  const definitions = path === undefined ? [] : await readDefinitions(project);
  // Webhooks do not review the namespace of their operator, which is the one of the session's kubeconfig.
  const operator = { ...operatorOf(project), namespace: 'kube-system' };
  const objects = webhookObjects(partsOf(operator), definitions, webhooks);
  const policies = await loadPolicies(project.folder, project.policies);
  return {
    configurations: objects
      .map((object) => plainObject(object) as KubernetesObject)
      .filter(({ kind }) => kind?.endsWith('WebhookConfiguration') === true),
    policies: policies.flatMap(({ policy, binding }) => [policy, binding]),
  };
}
